# apply.awk: writes a mutated copy of one source.
#
#     awk -v list=LIST -v file=src/check/shrink.c -f mutants/apply.awk src/check/shrink.c >COPY
#
# LIST has one mutant a line, fields separated by tabs (mutants/sites.py makes it):
#     number class file nth column length new line
# The place is the nth line of the file that reads `line`, so lists survive changes elsewhere in the file. There, `length`
# bytes from `column` on are replaced by `new`, in which @ stands for the switch AT_MUTANT(number). Lines keep their numbers.
# A mutant whose line is not there is named on standard error, exit 1; with -v gone=FILE its number goes there instead, exit 0.
BEGIN {
    FS = "\t"
    while ((getline row < list) > 0) {
        split(row, f, "\t")
        if (f[3] != file)
            continue
        where = f[4] SUBSEP f[8]
        switched = f[7]
        gsub(/@/, "AT_MUTANT(" f[1] ")", switched)
        k = ++count[where]
        column[where, k] = f[5]
        width[where, k] = f[6]
        text[where, k] = switched
        missing[where] = missing[where] " " f[1]
        line_of[where] = f[8]
    }
    printf "#include \"mutant.h\"\n#line 1 \"%s\"\n", file
}
{
    where = ++seen[$0] SUBSEP $0
    line = $0
    # From the right, so that columns further left stay what they are.
    for (left = count[where]; left > 0; left--) {
        best = 0
        for (k = 1; k <= count[where]; k++)
            if (column[where, k] && (!best || column[where, k] + 0 > column[where, best] + 0))
                best = k
        line = substr(line, 1, column[where, best] - 1) text[where, best] \
               substr(line, column[where, best] + width[where, best])
        column[where, best] = 0
    }
    delete missing[where]
    print line
}
END {
    for (where in missing) {
        if (gone)
            print missing[where] >gone
        else
            printf "%s: no such line any more: %s\n", file, line_of[where] > "/dev/stderr"
        bad = !gone
    }
    exit bad
}
