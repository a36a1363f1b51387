/* loop.c: a training from batch to batch, with a rate that follows a plan and states on disk on the way. */
#include "train_internal.h"

#include <inttypes.h>

double at_train_rate(const at_train_loop *l, uint64_t step)
{
    double rate = l->adamw.rate;
    uint64_t hold = l->hold ? l->hold : 1; /* counted in stretches of equal rate */
    uint64_t at = step / hold, rise = l->warmup / hold, end = (l->steps + hold - 1) / hold;
    if (at < rise)
        return rate * (double)(at + !l->from_zero) / (double)rise;
    if (l->decay_rate && end > rise)
        return at < end ? rate * (double)(end - at) / (double)(end - rise) : 0;
    return rate;
}

/* The state and what the caller has to say about it, asked now, go to one file. */
static at_status checkpoint_save(const at_trainer *t, const at_train_loop *l, void *ctx, at_err *err)
{
    at_text note;
    at_text_init(&note);
    at_status s = l->note ? l->note(ctx, &note, err) : AT_OK;
    if (!s && note.oom)
        s = at_oom(err);
    if (!s)
        s = at_trainer_save(t, l->note ? note.s ? note.s : "" : NULL, l->checkpoint, err);
    at_text_release(&note);
    return s;
}

/* On several ranks all of them stop in the same place: whatever a rank meets alone (a source that fails, a full disk, a
 * signal) it tells the others where they next agree. */
at_status at_train_run(at_trainer *t, const at_train_loop *l, at_train_source *source, void *ctx,
                       double *last_loss, at_err *err)
{
    at_status s = AT_OK;
    uint64_t saved = t->steps, end = l->until && l->until < l->steps ? l->until : l->steps;
    bool checkpoint = t->ranks.rank == 0 && l->checkpoint;
    bool stop = false;
    while (t->steps < end) {
        const at_train_sequence *batch = NULL;
        uint64_t step = t->steps;
        int n = 0;
        at_adamw o = l->adamw;
        o.rate = at_train_rate(l, step);
        at_progress_tick(l->report, "train", (double)step, (double)l->steps);
        stop = at_cancel_pending();
        if (!s && !stop)
            s = source(ctx, step, &batch, &n, err);
        double loss;
        if ((s = train_agree(t, s, &stop, step, err)) || stop ||
            (s = at_trainer_step(t, batch, n, &o, &loss, err)))
            break;
        *last_loss = loss;
        if (l->seen)
            l->seen(ctx, step, loss);
        if (checkpoint && l->every && t->steps % l->every == 0 && !(s = checkpoint_save(t, l, ctx, err)))
            saved = t->steps;
    }
    if (!s && checkpoint && saved != t->steps)
        s = checkpoint_save(t, l, ctx, err);
    s = train_agree(t, s, NULL, t->steps, err);
    if (!s && t->steps < end)
        s = at_fail(err, AT_ECANCEL, "interrupted after %" PRIu64 " of %" PRIu64 " steps", t->steps,
                    l->steps);
    return s;
}
