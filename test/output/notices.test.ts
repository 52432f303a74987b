import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { hint, type NamedCommand, reviewctl } from '../../src/base/hint.ts';
import { createNotices, type NoticeOptions, type Notices } from '../../src/output/terminal/notices.ts';
import { type CaptureOptions, capturedStreams } from './captured-streams.ts';
import { hostileTexts, livingCharacters } from './hostile-text.ts';

function told(
  say: (notices: Notices) => void,
  options: Partial<NoticeOptions> = {},
  capture: CaptureOptions = {},
) {
  const streams = capturedStreams(capture);
  say(createNotices(streams, { format: 'text', ...options }));
  expect(streams.outputText()).toBe('');
  return streams.errorText();
}

const refused = new Failure('refused', 'the service refused the order', 'correct line 12 and push again', {
  status: 422,
  operation: 'updateOrder',
  file: 'o.csv',
  line: 12,
});

function badPrice(line: number, value: string) {
  const remedy = 'write the amount in digits';
  return {
    file: 'o.csv',
    line,
    column: 'paidPrice',
    value,
    code: 'not-an-amount' as const,
    reason: 'is not a number',
    remedy,
  };
}

describe('as text', () => {
  test('an error is its message and its hint', () => {
    expect(told((notices) => notices.error(refused))).toBe(
      'error: the service refused the order\nhint: correct line 12 and push again\n',
    );
  });

  test('a warning, an information and a summary are lines', () => {
    const text = told((notices) => {
      notices.warning("column 'colour' is unknown", "did you mean 'color'?");
      notices.info('using the preset cafe24');
      notices.summary('no reviews');
    });
    expect(text).toBe(
      "warning: column 'colour' is unknown\nhint: did you mean 'color'?\nusing the preset cafe24\nno reviews\n",
    );
  });

  test('the label alone is colored, on a terminal alone', () => {
    const say = (notices: Notices) => notices.warning('w', 'h');
    expect(told(say, {}, { isErrorTerminal: true })).toBe(
      '\u001b[33mwarning\u001b[39m: w\n\u001b[36mhint\u001b[39m: h\n',
    );
    expect(told(say, {}, { isOutputTerminal: true })).toBe('warning: w\nhint: h\n');
  });

  test('a terminal gets lines broken between words, commands in one piece', () => {
    const say = (notices: Notices) =>
      notices.warning(
        '3 records sent without a usable answer: they may or may not have arrived',
        hint`record the result: ${reviewctl`runs resolve ${'6hn4v2-x7kq'} --sent`} or --not-sent`,
      );
    const env = { COLUMNS: '40', NO_COLOR: '1' };
    expect(told(say, {}, { isErrorTerminal: true, env })).toBe(
      [
        'warning: 3 records sent without a',
        '  usable answer: they may or may not',
        '  have arrived',
        'hint: record the result:',
        '  reviewctl runs resolve 6hn4v2-x7kq --sent',
        '  or --not-sent',
        '',
      ].join('\n'),
    );
    expect(told(say, {}, { env })).toContain(
      'hint: record the result: reviewctl runs resolve 6hn4v2-x7kq --sent or --not-sent\n',
    );
  });

  test('a message of several lines cannot pose as several notices', () => {
    expect(told((notices) => notices.info('it said: x\nerror: all is lost'))).toBe(
      'it said: x\n  error: all is lost\n',
    );
  });

  test('the stack is told only when asked for', () => {
    expect(told((notices) => notices.error(refused))).not.toContain('notices.test');
    expect(told((notices) => notices.error(refused), { debugStack: (stack) => stack })).toContain(
      'notices.test',
    );
  });
});

describe('problems of the input as text', () => {
  test('up to three alike problems are listed one by one, with one remedy', () => {
    const text = told((notices) => {
      notices.problem(badPrice(12, '12,-'));
      notices.problem(badPrice(19, '\u202eabc'));
      notices.endProblems();
    });
    expect(text).toBe(
      [
        'o.csv:12: paidPrice: is not a number: "12,-"',
        'o.csv:19: paidPrice: is not a number: "\\u{202e}abc"',
        'hint: write the amount in digits',
        '',
      ].join('\n'),
    );
  });

  test('more of them are grouped, with the first lines', () => {
    const lines = [12, 19, 44, ...Array.from({ length: 1201 }, (_, index) => 100 + index)];
    const text = told((notices) => {
      for (const line of lines) notices.problem(badPrice(line, `value ${line}`));
      notices.problem({
        file: 'p.csv',
        code: 'no-table',
        reason: 'the file is empty',
        remedy: 'export it again',
      });
      notices.endProblems();
    });
    expect(text).toBe(
      [
        'o.csv: paidPrice: is not a number: 1,204 rows, first 12, 19, 44',
        'hint: write the amount in digits',
        'p.csv: the file is empty',
        'hint: export it again',
        '',
      ].join('\n'),
    );
  });

  test('however many kinds of problems there are, the list ends', () => {
    const text = told((notices) => {
      for (let line = 1; line <= 700; line += 1)
        notices.problem({ ...badPrice(line, 'x'), reason: `odd ${line}` });
      notices.endProblems();
    });
    expect(text.match(/odd \d+/g)).toHaveLength(500);
    expect(text).toContain(
      'and 200 problems more\nhint: correct these problems and run again to see the rest\n',
    );
  });
});

describe('as JSON', () => {
  const json = { format: 'json' } as const;

  test('an error is one line with its stable code and its place', () => {
    expect(told((notices) => notices.error(refused), json)).toBe(
      '{"error":{"code":"refused","message":"the service refused the order","hint":"correct line 12 and push again","exitCode":6,"retry":"person","status":422,"operation":"updateOrder","file":"o.csv","line":12}}\n',
    );
  });

  test('an error has the first command of its hint, with the flags that it needs', () => {
    const lost = new Failure(
      'not-found',
      'no run abc',
      hint`see ${reviewctl`runs list`}, or ${reviewctl`status`}`,
    );
    const completeCommand = ({ words }: NamedCommand) => ({ words: [...words, '--profile', 'mall'] });
    expect(JSON.parse(told((notices) => notices.error(lost), { ...json, completeCommand })).error).toEqual({
      code: 'not-found',
      message: 'no run abc',
      hint: 'see reviewctl runs list --profile mall, or reviewctl status --profile mall',
      command: 'reviewctl runs list --profile mall',
      exitCode: 6,
      retry: 'never',
    });
  });

  test('each problem is a line of its own', () => {
    const text = told((notices) => {
      for (const line of [1, 2, 3, 4, 5]) notices.problem(badPrice(line, 'x'));
      notices.endProblems();
    }, json);
    const [, second = '', ...others] = text.split('\n');
    expect(others).toHaveLength(4);
    expect(JSON.parse(second)).toEqual({
      error: {
        code: 'not-an-amount',
        message: 'is not a number',
        hint: 'write the amount in digits',
        exitCode: 3,
        retry: 'after-change',
        file: 'o.csv',
        line: 2,
        column: 'paidPrice',
        value: 'x',
      },
    });
  });

  test('everything else is a line of JSON too', () => {
    const text = told((notices) => {
      notices.info('i');
      notices.warning('w');
      notices.summary('s');
    }, json);
    expect(text).toBe('{"info":{"message":"i"}}\n{"warning":{"message":"w"}}\n{"summary":{"message":"s"}}\n');
  });
});

describe.each(['text', 'json'] as const)('in every notice as %s', (format) => {
  const saying = (text: string) => (notices: Notices) => {
    notices.info(text);
    notices.warning(text, text);
    notices.summary(text);
    notices.error(new Failure('refused', text, text, { file: text }));
    for (let count = 1; count <= 2; count += 1) {
      for (let line = 1; line <= count * 2; line += 1) {
        notices.problem({
          file: text,
          line,
          column: text,
          value: text,
          code: 'not-text',
          reason: `${text}${count}`,
          remedy: text,
        });
      }
    }
    notices.endProblems();
  };

  test.each(Object.entries(hostileTexts))('%s is made visible', (_kind, hostile) => {
    const text = told(
      saying(hostile),
      { format, debugStack: (stack) => stack },
      { isErrorTerminal: true, env: { NO_COLOR: '1' } },
    );
    expect(livingCharacters(text)).toEqual([]);
  });

  test('known secrets are redacted, those learned later too', () => {
    const secrets = new Set<string>();
    const text = told(
      (notices) => {
        secrets.add('to"ken-1234');
        saying('Authorization: Basic to"ken-1234')(notices);
      },
      { format, secrets, debugStack: (stack) => stack },
    );
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('ken-1234');
  });
});
