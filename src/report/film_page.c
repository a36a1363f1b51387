/* film_page.c: a film as a page of its own: a frame after the other under a slider, or played.
 *
 *     title
 *     [play] [----o--------] step 150 (3 of 8)  [ ] all frames
 *     step 150
 *     layer 1 head 1 · softmax    layer 1 head 2 · softmax   ...     every head of one model, as at_film_svg draws it
 *     ┌────┐                      ┌────┐
 *     └────┘                      └────┘
 *
 * Without a script all frames follow each other: the page is a strip then, as it is on paper. The script shows and hides frames, it
 * makes none; the content policy allows it by its hash and nothing else, so nothing is ever fetched. It holds none of & < >, so that the
 * page stays XML. A film does not begin to play by itself. */
#include "report_internal.h"

#include <string.h>

#define MOST_PICTURES 2048 /* frames times heads: each is a picture */

const char at_film_script[] =
    "(function(){'use strict';\n"
    "var frames=document.querySelectorAll('section.frame'),bar=document.getElementById('bar'),\n"
    "at=document.getElementById('at'),play=document.getElementById('play'),said=document.getElementById('"
    "said'),\n"
    "all=document.getElementById('all'),timer=null,last=frames.length-1;\n"
    "function show(){var k=Number(at.value);\n"
    "Array.prototype.forEach.call(frames,function(f,i){f.hidden=!all.checked?i!==k:false});\n"
    "said.textContent=frames[k].querySelector('h2').textContent+' ('+(k+1)+' of '+frames.length+')'}\n"
    "function stop(){if(timer!==null)clearInterval(timer);timer=null;play.textContent='Play'}\n"
    "function next(){if(Number(at.value)===last){stop();return}at.value=Number(at.value)+1;show()}\n"
    "play.addEventListener('click',function(){if(timer!==null){stop();return}\n"
    "if(Number(at.value)===last)at.value=0;all.checked=false;show();\n"
    "play.textContent='Stop';timer=setInterval(next,600)});\n"
    "at.addEventListener('input',function(){stop();all.checked=false;show()});\n"
    "all.addEventListener('change',function(){stop();show()});\n"
    "window.addEventListener('beforeprint',function(){stop();all.checked=true;show()});\n"
    "at.max=last;at.value=0;bar.hidden=false;document.body.className='one';show()})();\n";

static const char style[] =
    ":root{color-scheme:light}\n"
    "[hidden]{display:none!important}\n"
    "body{margin:0 auto;padding:1.2rem 1.25rem 3rem;max-width:90rem;background:#fff;color:#1b1f24;"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
    "overflow-wrap:break-word}\n"
    "h1{font-size:1.3rem;margin:0 0 .3rem}h2{font-size:1rem;margin:.2rem 0}\n"
    ".soft{color:#5a636d;font-size:.88rem;margin:.2rem 0}\n"
    "#bar{position:sticky;top:0;display:flex;flex-wrap:wrap;gap:.4rem "
    "1rem;align-items:center;background:#fff;border-bottom:1px solid #dfe3e8;padding:.6rem 0}\n"
    "#bar button{font:inherit;min-width:5rem;padding:.2rem .8rem}#at{flex:1 1 12rem;max-width:40rem}\n"
    "#said{min-width:12rem;font-variant-numeric:tabular-nums}\n"
    ".strip{display:flex;flex-wrap:wrap;gap:.8rem}.frame{border:1px solid "
    "#dfe3e8;border-radius:8px;padding:.4rem .8rem;max-width:100%;box-sizing:border-box}\n"
    ".heads{display:flex;flex-wrap:wrap;gap:.2rem}.heads svg{height:11rem;width:auto;max-width:100%}\n"
    ".one .frame{border:0;padding:.4rem 0;width:100%}.one .heads svg{height:19rem}\n"
    "@media print{#bar{display:none}.frame{break-inside:avoid}}\n";

/* One head of one frame, in the scale of films. */
static at_status head_add(const at_film_frame *frame, int head, at_text *html, at_err *err)
{
    at_trace trace = *frame->look->trace;
    at_look look = *frame->look;
    trace.heads += head;
    trace.n_heads = 1;
    look.trace = &trace;
    const at_film_frame one = {.look = &look, .caption = frame->caption};
    return at_film_svg(&(at_film){.title = frame->caption, .frames = &one, .n = 1, .plain = true}, html, err);
}

static at_status frames_add(const at_film *film, at_text *html, at_err *err)
{
    at_status s = AT_OK;
    for (int k = 0; k < film->n && !s; k++) {
        const at_film_frame *f = &film->frames[k];
        at_text_add(html, "<section class=\"frame\"><h2>");
        at_text_add_html(html, f->caption);
        at_text_add(html, "</h2>\n");
        if (f->below) {
            at_text_add(html, "<p class=\"soft\">");
            at_text_add_html(html, f->below);
            at_text_add(html, "</p>\n");
        }
        at_text_add(html, "<div class=\"heads\">\n");
        for (int h = 0; h < f->look->trace->n_heads && !s; h++)
            s = head_add(f, h, html, err);
        at_text_add(html, "</div></section>\n");
    }
    return s;
}

static void head_html(const at_film *film, at_text *html)
{
    char hash[48];
    at_report_policy_hash(at_film_script, hash);
    at_text_add(html, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n");
    at_text_addf(html,
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                 "'unsafe-inline'; script-src 'sha256-%s'\"/>\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
                 hash);
    at_text_add_html(html, film->title);
    at_text_addf(html, "</title>\n<style>%s</style></head><body>\n<h1>", style);
    at_text_add_html(html, film->title);
    at_text_add(
        html,
        "</h1>\n<p class=\"soft\">Attention weights, from near-white (0) to deep blue (1), by their square "
        "root; rows: "
        "queries, columns: keys.</p>\n"
        "<div id=\"bar\" hidden=\"hidden\"><button id=\"play\" type=\"button\">Play</button>"
        "<input id=\"at\" type=\"range\" min=\"0\" max=\"0\" step=\"1\" value=\"0\" aria-label=\"frame\"/>"
        "<output id=\"said\" for=\"at\"></output>"
        "<label><input id=\"all\" type=\"checkbox\"/> all frames</label></div>\n<main class=\"strip\">\n");
}

at_status at_film_html(const at_film *film, at_text *html, at_err *err)
{
    at_text page;
    at_text_init(&page);
    at_status s = at_film_check(film, err);
    int64_t pictures = s ? 0 : (int64_t)film->n * film->frames[0].look->trace->n_heads;
    if (!s && pictures > MOST_PICTURES)
        s = at_fail(err, AT_EDOMAIN, "a page of %d frames with %d heads each; allowed: %d pictures in all",
                    film->n, film->frames[0].look->trace->n_heads, MOST_PICTURES);
    if (!s) {
        head_html(film, &page);
        s = frames_add(film, &page, err);
    }
    at_text_addf(&page, "</main>\n<script>%s</script>\n</body></html>\n", at_film_script);
    if (!s && !page.oom)
        at_text_addn(html, page.s, page.n);
    if (!s && (page.oom || html->oom))
        s = at_oom(err);
    at_text_release(&page);
    return s;
}
