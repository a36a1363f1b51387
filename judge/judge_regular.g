# judge_regular.g: GAP looks at monoids of transformations. judge_regular.py writes the calls and reads the answers, a
# line of JSON each. Green's classes, groups and their derived series are those of GAP's own library, without packages.

answers := OutputTextUser();
SetPrintFormattingStatus(answers, false); # else lines are broken at the width of a terminal

truth := function(b)
    if b then return "true"; fi;
    return "false";
end;

period := f -> IndexPeriodOfTransformation(f)[2];

# [order, order of the last group of the derived series] of a maximal subgroup of each regular class D, if it is not
# trivial. Such a group permutes the points that its idempotent leaves, and no two of its elements do that alike.
groups_find := function(M)
    local found, D, G, series;
    found := [];
    for D in Filtered(GreensDClasses(M), IsRegularDClass) do
        G := Group(List(AsList(GroupHClassOfGreensDClass(D)), PermutationOfImage), ());
        if Size(G) > 1 then
            series := DerivedSeriesOfGroup(G);
            Add(found, [Size(G), Size(series[Length(series)])]);
        fi;
    od;
    return SortedList(found);
end;

# What words of length 1, 2, 3, ... do: up to the least s for which those of length s and 2s do the same. Returns s, the
# least length that a word with a period has, and whether words of length s have one.
lengths_find := function(letters, elements, periodic)
    local right, sets, k, set, least;
    right := List(elements, f -> List(letters, c -> PositionSorted(elements, f * c)));
    sets := [];
    set := Set(letters, c -> PositionSorted(elements, c));
    least := 0;
    k := 0;
    repeat
        k := k + 1;
        sets[k] := set;
        if least = 0 and ForAny(set, i -> periodic[i]) then
            least := k;
        fi;
        set := Union(List(set, i -> right[i]));
    until k mod 2 = 0 and sets[k] = sets[k / 2];
    return [k / 2, least, ForAny(sets[k], i -> periodic[i])];
end;

# images: where each letter sends the states 1, 2, ...; words: letters by number, from 1.
look := function(number, images, words)
    local letters, M, elements, periodic, aperiodic, lengths, groups;
    letters := List(images, Transformation);
    M := Monoid(letters);
    elements := AsSSortedList(M);
    periodic := List(elements, f -> period(f) > 1);
    aperiodic := not (true in periodic);
    lengths := [0, 0, false];
    if not aperiodic then
        lengths := lengths_find(letters, elements, periodic);
    fi;
    groups := groups_find(M);
    PrintTo(answers, "{\"number\": ", number, ", \"monoid\": ", Size(M), ", \"star_free\": ", truth(aperiodic),
            ", \"modulus\": ", lengths[1], ", \"least\": ", lengths[2], ", \"fo_mod\": ", truth(not lengths[3]),
            ", \"groups\": ", groups, ", \"solvable\": ", truth(ForAll(groups, g -> g[2] = 1)),
            ", \"periods\": ",
            List(words, w -> period(Product(w, c -> letters[c], IdentityTransformation))), "}\n");
end;
