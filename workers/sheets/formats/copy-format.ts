// Rows in the text format of Postgres' COPY. https://www.postgresql.org/docs/18/sql-copy.html
export type CopyValue = string | number | null

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

export function copyLine(values: CopyValue[]): string {
  return `${values.map(copyValue).join('\t')}\n`
}

/** A text[] literal. Always quoted, so that no element is read as NULL or loses its spaces. */
export function arrayLiteral(items: string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

const SPECIAL = /[\\\t\n\r]/

function copyValue(value: CopyValue): string {
  if (value === null) return '\\N'
  return typeof value === 'number' || !SPECIAL.test(value)
    ? String(value)
    : value.replace(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign)
}

/** Parses the output of `COPY … TO STDOUT` in batches; NULL becomes an empty text. */
export async function* copiedRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<string[][]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of pieces) {
    // Only a line end is certain not to split a multi-byte character.
    const end = piece.lastIndexOf(10) + 1
    if (end > 0) yield parseLines(Buffer.concat([rest, piece.subarray(0, end)]))
    rest = end > 0 ? piece.subarray(end) : Buffer.concat([rest, piece])
  }
}

function parseLines(lines: Buffer): string[][] {
  return lines.toString().slice(0, -1).split('\n').map(parseLine)
}

function parseLine(line: string): string[] {
  const values = line.split('\t')
  return line.includes('\\') ? values.map(parseValue) : values
}

const UNESCAPED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

function parseValue(value: string): string {
  if (value === '\\N') return ''
  return value.replace(/\\(.)/g, (_, sign: string) => UNESCAPED[sign] ?? sign)
}
