#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The small checks: headers, generated files, licence lines, layout, words, links.
. "$(dirname "$0")/lib.sh"
tools=$top/tools

put src/base/a.h <<'END'
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef A
#define A
#include <stdint.h>
struct a {
	uint32_t x;
};
#endif
END
passes 'a complete header compiles alone' sh "$tools/check_headers.sh"
echo 'struct b { uint64_t y; };' | put src/base/b.h
finds 'one that leans on its user does not' 'src/base/b.h does not compile alone' \
	sh "$tools/check_headers.sh"
rm src/base/b.h
echo 'struct c { int y; };' | put src/base/c.h
finds 'one without a guard does not' 'src/base/c.h' sh "$tools/check_headers.sh"

finds 'a source without licence is noticed' 'src/base/c.h: no SPDX line' sh "$tools/check_spdx.sh"
rm src/base/c.h
passes 'sources with a licence pass' sh "$tools/check_spdx.sh"

put tools/gen_x.sh <<'END'
# SPDX-License-Identifier: GPL-2.0-or-later
echo '/* Made by tools/gen_x.sh; do not edit. */'
echo 42
END
sh tools/gen_x.sh | put src/base/x.def
passes 'a fresh table passes' sh "$tools/check_generated.sh"
echo 43 >>src/base/x.def
finds 'an edited table is noticed' 'src/base/x.def is stale' sh "$tools/check_generated.sh"
rm src/base/x.def

if sh "$tools/check_format.sh" | grep -q SKIP; then
	skips 'no clang-format 14' 'layout of a good file passes' 'bad layout is noticed'
else
	cp "$top/.clang-format" .
	passes 'layout of a good file passes' sh "$tools/check_format.sh"
	printf 'int  f( void ){return 1 ;}\n' | put src/base/f.c
	finds 'bad layout is noticed' 'src/base/f.c' sh "$tools/check_format.sh"
	rm src/base/f.c
fi

passes 'a tree without such words passes' sh "$tools/check_words.sh"
printf 'see /wo%s/main for it\n' rk | put docs/a.txt
finds 'a path of a machine is noticed' 'docs/a.txt:1' sh "$tools/check_words.sh"
printf 'TO%s: later\n' DO | put docs/a.txt
finds 'a leftover marker is noticed' 'docs/a.txt:1' sh "$tools/check_words.sh"
rm docs/a.txt

put docs/a.md <<'END'
# A title here
[b](b.md) [top](../README.md#two-words) [web](https://example.org/x) `[no](code)`
```
[not](read.md)
```
END
printf '# Two words\n' | put README.md
printf '[a](a.md#a-title-here) [self](#own)\n# Own\n' | put docs/b.md
passes 'links to files and headings pass' sh "$tools/check_links.sh"
echo '[x](missing.md)' >>docs/b.md
finds 'a dead link is noticed' 'docs/b.md:3: no missing.md' sh "$tools/check_links.sh"
printf '[x](a.md#nothing)\n' | put docs/b.md
finds 'a dead anchor is noticed' 'no heading for #nothing' sh "$tools/check_links.sh"
exit $failed
