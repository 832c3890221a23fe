# Compares what two programs printed; read by run.sh and openacc.sh.
# compare A B: what two programs print, without times, word by word; numbers may differ by 1e-4 of themselves, as results may.
compare() {
  local exe
  for exe in "$1" "$2"; do sed -E 's/[0-9.eE+-]+ *(ns|us|ms|s)\b//g; /^time /d' "$exe.out" | tr -s ' \t\n' '\n\n\n' | sed '/^$/d' > "$exe.words"; done
  if [ ! -s "$1.words" ] && [ ! -s "$2.words" ]; then echo 'none printed'; return; fi
  paste "$1.words" "$2.words" | awk -F '\t' '
    function number(word) { return word ~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ }
    $1 == $2 { next }
    number($1) && number($2) { d = $1 - $2; if (d < 0) d = -d; s = $1 < 0 ? -$1 : $1; if (d <= 1e-4 * s) { if (d / s > most) most = d / s; next } }
    { print "DIFFERENT (" $1 ", " $2 ")"; wrong = 1; exit }
    END { if (!wrong) print (most > 0 ? "prints the same within " sprintf("%.1e", most) : "prints the same") }'
}
