/* cite.c: BibTeX of what a claim rests on, and of its check.
 *
 * Claims name their sources in words; a row here is what such words stand for. A claim whose words no row knows is a fault that a test
 * finds. Fields are those that papers print of themselves. */
#include "cert_internal.h"

#include <string.h>

static const struct {
    const char *says[3]; /* any of these, in the words of a claim */
    const char *key, *kind, *author, *title, *where, *year, *more;
} papers[] = {
    {{"Sanford, Hsu, Telgarsky 2023"},
     "sanford2023",
     "inproceedings",
     "Sanford, Clayton and Hsu, Daniel and Telgarsky, Matus",
     "Representational Strengths and Limitations of Transformers",
     "Advances in Neural Information Processing Systems 36",
     "2023",
     "arXiv:2306.02896"},
    {{"Yang et al. 2024"},
     "yang2024efficient",
     "inproceedings",
     "Yang, Kai and Ackermann, Jan and He, Zhenyu and Feng, Guhao and Zhang, Bohang and Feng, Yunzhen and "
     "Ye, Qiwei and He, Di and Wang, Liwei",
     "Do Efficient Transformers Really Save Computation?",
     "International Conference on Machine Learning",
     "2024",
     "arXiv:2402.13934"},
    {{"Feng et al. 2023"},
     "feng2023",
     "inproceedings",
     "Feng, Guhao and Zhang, Bohang and Gu, Yuntian and Ye, Haotian and He, Di and Wang, Liwei",
     "Towards Revealing the Mystery behind Chain of Thought: A Theoretical Perspective",
     "Advances in Neural Information Processing Systems 36",
     "2023",
     "arXiv:2305.15408"},
    {{"Peng, Narayanan, Papadimitriou 2024"},
     "peng2024",
     "inproceedings",
     "Peng, Binghui and Narayanan, Srini and Papadimitriou, Christos",
     "On Limitations of the Transformer Architecture",
     "Conference on Language Modeling",
     "2024",
     "arXiv:2402.08164"},
    {{"Chen, Peng, Wu 2024"},
     "chen2024",
     "misc",
     "Chen, Lijie and Peng, Binghui and Wu, Hongxun",
     "Theoretical limitations of multi-layer Transformer",
     NULL,
     "2024",
     "arXiv:2412.02975"},
    {{"Strobl, Merrill, Weiss, Chiang, Angluin 2024", "Strobl et al. 2024"},
     "strobl2024",
     "article",
     "Strobl, Lena and Merrill, William and Weiss, Gail and Chiang, David and Angluin, Dana",
     "What Formal Languages Can Transformers Express? A Survey",
     "Transactions of the Association for Computational Linguistics",
     "2024",
     "arXiv:2311.00208"},
    {{"Hahn 2020"},
     "hahn2020",
     "article",
     "Hahn, Michael",
     "Theoretical Limitations of Self-Attention in Neural Sequence Models",
     "Transactions of the Association for Computational Linguistics",
     "2020",
     "arXiv:1906.06755"},
    {{"Angluin, Chiang, Yang 2023"},
     "angluin2023",
     "misc",
     "Angluin, Dana and Chiang, David and Yang, Andy",
     "Masked Hard-Attention Transformers and Boolean RASP Recognize Exactly the Star-Free Languages",
     NULL,
     "2023",
     "arXiv:2310.13897"},
    {{"Barceló, Kozachinskiy, Lin, Podolskii 2024"},
     "barcelo2024",
     "inproceedings",
     "Barceló, Pablo and Kozachinskiy, Alexander and Lin, Anthony Widjaja and Podolskii, Vladimir",
     "Logical Languages Accepted by Transformer Encoders with Hard Attention",
     "International Conference on Learning Representations",
     "2024",
     "arXiv:2310.03817"},
    {{"Chiang, Cholak, Pillay 2023"},
     "chiang2023",
     "inproceedings",
     "Chiang, David and Cholak, Peter and Pillay, Anand",
     "Tighter Bounds on the Expressivity of Transformer Encoders",
     "International Conference on Machine Learning",
     "2023",
     "arXiv:2301.10743"},
    {{"Chiang and Cholak 2022"},
     "chiang2022",
     "inproceedings",
     "Chiang, David and Cholak, Peter",
     "Overcoming a Theoretical Limitation of Self-Attention",
     "Annual Meeting of the Association for Computational Linguistics",
     "2022",
     "arXiv:2202.12172"},
    {{"Yang, Chiang 2024"},
     "yang2024counting",
     "inproceedings",
     "Yang, Andy and Chiang, David",
     "Counting Like Transformers: Compiling Temporal Counting Logic Into Softmax Transformers",
     "Conference on Language Modeling",
     "2024",
     "arXiv:2404.04393"},
    {{"Merrill, Sabharwal, Smith 2022"},
     "merrill2022",
     "article",
     "Merrill, William and Sabharwal, Ashish and Smith, Noah A.",
     "Saturated Transformers are Constant-Depth Threshold Circuits",
     "Transactions of the Association for Computational Linguistics",
     "2022",
     "arXiv:2106.16213"},
    {{"Merrill, Sabharwal 2023"},
     "merrill2023logic",
     "inproceedings",
     "Merrill, William and Sabharwal, Ashish",
     "A Logic for Expressing Log-Precision Transformers",
     "Advances in Neural Information Processing Systems 36",
     "2023",
     "arXiv:2210.02671"},
    {{"Merrill, Sabharwal 2024"},
     "merrill2024",
     "inproceedings",
     "Merrill, William and Sabharwal, Ashish",
     "The Expressive Power of Transformers with Chain of Thought",
     "International Conference on Learning Representations",
     "2024",
     "arXiv:2310.07923"},
    {{"Hao, Angluin, Frank 2022"},
     "hao2022",
     "article",
     "Hao, Yiding and Angluin, Dana and Frank, Robert",
     "Formal Language Recognition by Hard Attention Transformers: Perspectives from Circuit Complexity",
     "Transactions of the Association for Computational Linguistics",
     "2022",
     "arXiv:2204.06618"},
    {{"Liu, Ash, Goel, Krishnamurthy, Zhang 2023"},
     "liu2023",
     "inproceedings",
     "Liu, Bingbin and Ash, Jordan T. and Goel, Surbhi and Krishnamurthy, Akshay and Zhang, Cyril",
     "Transformers Learn Shortcuts to Automata",
     "International Conference on Learning Representations",
     "2023",
     "arXiv:2210.10749"},
    {{"Pérez, Barceló, Marinković 2021"},
     "perez2021",
     "article",
     "Pérez, Jorge and Barceló, Pablo and Marinkovic, Javier",
     "Attention is Turing-Complete",
     "Journal of Machine Learning Research",
     "2021",
     NULL},
    {{"Bhattamishra, Ahuja, Goyal 2020", "Bhattamishra et al. 2020"},
     "bhattamishra2020",
     "inproceedings",
     "Bhattamishra, Satwik and Ahuja, Kabir and Goyal, Navin",
     "On the Ability and Limitations of Transformers to Recognize Formal Languages",
     "Conference on Empirical Methods in Natural Language Processing",
     "2020",
     "arXiv:2009.11264"},
    {{"Yao et al. 2021"},
     "yao2021",
     "inproceedings",
     "Yao, Shunyu and Peng, Binghui and Papadimitriou, Christos and Narasimhan, Karthik",
     "Self-Attention Networks Can Process Bounded Hierarchical Languages",
     "Annual Meeting of the Association for Computational Linguistics",
     "2021",
     "arXiv:2105.11115"},
    {{"Weiss, Goldberg, Yahav 2021"},
     "weiss2021",
     "inproceedings",
     "Weiss, Gail and Goldberg, Yoav and Yahav, Eran",
     "Thinking Like Transformers",
     "International Conference on Machine Learning",
     "2021",
     "arXiv:2106.06981"},
    {{"Svete and Cotterell 2024"},
     "svete2024",
     "inproceedings",
     "Svete, Anej and Cotterell, Ryan",
     "Transformers Can Represent n-gram Language Models",
     "Conference of the North American Chapter of the Association for Computational Linguistics",
     "2024",
     "arXiv:2404.14994"},
    {{"Svete, Borenstein, Zhou, Augenstein and Cotterell 2024"},
     "svete2024learn",
     "inproceedings",
     "Svete, Anej and Borenstein, Nadav and Zhou, Mike and Augenstein, Isabelle and Cotterell, Ryan",
     "Can Transformers Learn n-gram Language Models?",
     "Conference on Empirical Methods in Natural Language Processing",
     "2024",
     "arXiv:2410.03001"},
    {{"Nowak, Svete, Butoi and Cotterell 2024"},
     "nowak2024",
     "inproceedings",
     "Nowak, Franz and Svete, Anej and Butoi, Alexandra and Cotterell, Ryan",
     "On the Representational Capacity of Neural Language Models with Chain-of-Thought Reasoning",
     "Annual Meeting of the Association for Computational Linguistics",
     "2024",
     "arXiv:2406.14197"},
    {{"Du, Torroba Hennigen, Pimentel, Meister, Eisner, Cotterell 2023"},
     "du2023",
     "inproceedings",
     "Du, Li and Torroba Hennigen, Lucas and Pimentel, Tiago and Meister, Clara and Eisner, Jason and "
     "Cotterell, Ryan",
     "A Measure-Theoretic Characterization of Tight Language Models",
     "Annual Meeting of the Association for Computational Linguistics",
     "2023",
     "arXiv:2212.10502"},
    {{"Yao 1979"},
     "yao1979",
     "inproceedings",
     "Yao, Andrew Chi-Chih",
     "Some Complexity Questions Related to Distributive Computing",
     "ACM Symposium on Theory of Computing",
     "1979",
     NULL},
    {{"Schützenberger 1965"},
     "schutzenberger1965",
     "article",
     "Schützenberger, Marcel-Paul",
     "On Finite Monoids Having Only Trivial Subgroups",
     "Information and Control",
     "1965",
     NULL},
};

static void field(at_text *t, const char *name, const char *value)
{
    if (value)
        at_text_addf(t, "  %s = {%s},\n", name, value);
}

/* Words of a claim, as TeX sets them: "n^2" and "x_i" are formulas to it, and end in an error. */
static void plain_tex(at_text *t, const char *words)
{
    static const struct {
        char c;
        const char *tex;
    } signs[] = {{'\\', "\\textbackslash{}"},
                 {'^', "\\textasciicircum{}"},
                 {'~', "\\textasciitilde{}"},
                 {'<', "\\textless{}"},
                 {'>', "\\textgreater{}"},
                 {'|', "\\textbar{}"},
                 {'_', "\\_"},
                 {'&', "\\&"},
                 {'%', "\\%"},
                 {'#', "\\#"},
                 {'$', "\\$"},
                 {'{', "\\{"},
                 {'}', "\\}"}};
    at_text out;
    at_text_init(&out);
    for (; *words; words++) {
        const char *tex = NULL;
        for (size_t k = 0; k < sizeof signs / sizeof *signs && !tex; k++)
            tex = *words == signs[k].c ? signs[k].tex : NULL;
        if (tex)
            at_text_add(&out, tex);
        else
            at_text_addn(&out, words, 1);
    }
    t->oom = t->oom || out.oom;
    at_text_add_plain(t, out.s ? out.s : "");
    at_text_release(&out);
}

int at_cite(const at_claim *c, const char *version, const char *build, const char *date, at_text *t)
{
    int n = 0;
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++) {
        bool said = false;
        for (int k = 0; k < 3 && papers[i].says[k]; k++)
            said = said || (c->source && strstr(c->source, papers[i].says[k]));
        if (!said)
            continue;
        bool article = !strcmp(papers[i].kind, "article");
        at_text_addf(t, "@%s{%s,\n", papers[i].kind, papers[i].key);
        field(t, "author", papers[i].author);
        field(t, "title", papers[i].title);
        field(t, article ? "journal" : "booktitle", papers[i].where);
        field(t, "year", papers[i].year);
        field(t, "note", papers[i].more);
        at_text_add(t, "}\n\n");
        n++;
    }
    at_text_addf(t, "@misc{attest-%s,\n", c->id);
    field(t, "author", "{attest contributors}");
    at_text_addf(t, "  title = {Claim %s, checked: ", c->id);
    plain_tex(t, c->title);
    at_text_add(t, "},\n");
    at_text_addf(t, "  howpublished = {attest %s, build %.16s, \\texttt{attest check %s}},\n", version, build,
                 c->id);
    at_text_addf(t, "  year = {%.4s},\n", date);
    if (c->source) {
        at_text_add(t, "  note = {Source: ");
        plain_tex(t, c->source);
        at_text_add(t, "},\n");
    }
    at_text_add(t, "}\n");
    return n;
}
