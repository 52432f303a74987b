import { type Parts, readWhole, type WorkbookPart } from './parts.ts';
import { attribute } from './xml.ts';

/**
 * The built-in formats by number (ECMA-376 18.8.30). Those that depend on the locale are in their Korean form: dates 14
 * and 22, currencies 5 to 8 and 41 to 44, and 27 to 58.
 */
const builtIn: ReadonlyMap<number, string> = new Map(
  String.raw`
1 0
2 0.00
3 #,##0
4 #,##0.00
5 "₩"#,##0;\-"₩"#,##0
6 "₩"#,##0;[Red]\-"₩"#,##0
7 "₩"#,##0.00;\-"₩"#,##0.00
8 "₩"#,##0.00;[Red]\-"₩"#,##0.00
9 0%
10 0.00%
11 0.00E+00
12 # ?/?
13 # ??/??
14 yyyy-mm-dd
15 d-mmm-yy
16 d-mmm
17 mmm-yy
18 h:mm AM/PM
19 h:mm:ss AM/PM
20 h:mm
21 h:mm:ss
22 yyyy-mm-dd h:mm
27 yyyy"年" mm"月" dd"日"
28 mm-dd
29 mm-dd
30 mm-dd-yy
31 yyyy"년" mm"월" dd"일"
32 h"시" mm"분"
33 h"시" mm"분" ss"초"
34 yyyy-mm-dd
35 yyyy-mm-dd
36 yyyy"年" mm"月" dd"日"
37 #,##0_);\(#,##0\)
38 #,##0_);[Red]\(#,##0\)
39 #,##0.00_);\(#,##0.00\)
40 #,##0.00_);[Red]\(#,##0.00\)
41 _-* #,##0_-;\-* #,##0_-;_-* "-"_-;_-@_-
42 _-"₩"* #,##0_-;\-"₩"* #,##0_-;_-"₩"* "-"_-;_-@_-
43 _-* #,##0.00_-;\-* #,##0.00_-;_-* "-"??_-;_-@_-
44 _-"₩"* #,##0.00_-;\-"₩"* #,##0.00_-;_-"₩"* "-"??_-;_-@_-
45 mm:ss
46 [h]:mm:ss
47 mm:ss.0
48 ##0.0E+0
49 @
50 yyyy"年" mm"月" dd"日"
51 mm-dd
52 yyyy-mm-dd
53 yyyy-mm-dd
54 mm-dd
55 yyyy-mm-dd
56 yyyy-mm-dd
57 yyyy"年" mm"月" dd"日"
58 mm-dd
`
    .trim()
    .split('\n')
    .map((line) => [Number.parseInt(line, 10), line.slice(line.indexOf(' ') + 1)]),
);

/** The default format of numbers. */
const general = 'General';

/** First number of the formats that a workbook defines itself. */
const firstOwn = 164;

/** Maximum number of formats and of styles to read; Excel allows 64,000. */
const stylesMaximum = 65_536;

/** Reads the number format of each style; undefined if the workbook lacks it. @throws the failures of `readPart`. */
export async function readFormats(
  parts: Parts,
  { stylesPart }: Pick<WorkbookPart, 'stylesPart'>,
): Promise<readonly (string | undefined)[]> {
  const own = new Map<number, string>();
  const styles: number[] = [];
  let isInCells = false;
  if (stylesPart === undefined || !parts.directory.has(stylesPart)) return [general];
  const open = (name: string, tag: string) => {
    if (name === 'numFmt' && own.size < stylesMaximum)
      own.set(Number(attribute(tag, 'numFmtId')), attribute(tag, 'formatCode') ?? general);
    else if (name === 'cellXfs') isInCells = true;
    else if (name === 'xf' && isInCells && styles.length < stylesMaximum)
      styles.push(Number(attribute(tag, 'numFmtId') ?? 0));
  };
  await readWhole(parts, stylesPart, open, (name) => {
    if (name === 'cellXfs') isInCells = false;
  });
  if (styles.length === 0) return [general];
  return styles.map((id) => own.get(id) ?? builtIn.get(id) ?? (id < firstOwn ? general : undefined));
}
