#!/bin/sh
# The runner of fuzz targets: one that breaks, or runs nothing, is a failure, and the others are run all the same.
. tools/test/lib.sh
target() # $1 name; its program is the standard input
{
    put "bin/$1"
    chmod +x "$tree/bin/$1"
}
fuzz() # what is said is kept beside what lib.sh keeps
{
    JOBS=2 sh tools/fuzz.sh "$tree" 1 "$@" >"$tree/said"
    rc=$?
    cat "$tree/said"
    return $rc
}
target good <<'SH'
#!/bin/sh
echo stat::number_of_executed_units: 5
SH
target breaks <<'SH'
#!/bin/sh
echo the report of a sanitizer; exit 77
SH
target idle <<'SH'
#!/bin/sh
SH
holds 'targets that find nothing' fuzz fuzz/fuzz_good.c
holds 'how often it ran' grep -q '^ok      fuzz good: 5 runs$' "$tree/said"
fails 'one that breaks, with its words' 'the report of a sanitizer' fuzz fuzz/fuzz_breaks.c fuzz/fuzz_good.c
holds 'and the others still run' grep -q '^ok      fuzz good' "$tree/said"
fails 'one that ran nothing' 'FAILED  fuzz idle' fuzz fuzz/fuzz_good.c fuzz/fuzz_idle.c
finish
