// Writes and parses rows in the text format of Postgres' COPY. https://www.postgresql.org/docs/18/sql-copy.html
export type CopyValue = string | number | null

const COPY_ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

export function formatCopyLine(values: CopyValue[]): string {
  return `${values.map(formatCopyValue).join('\t')}\n`
}

/**
 * Returns a literal of type text[]. Its elements are always quoted, so that Postgres reads none of them as NULL and
 * keeps their spaces.
 */
export function formatArrayLiteral(items: string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

const SPECIAL_CHARACTER_PATTERN = /[\\\t\n\r]/

function formatCopyValue(value: CopyValue): string {
  if (value === null) return '\\N'
  return typeof value === 'number' || !SPECIAL_CHARACTER_PATTERN.test(value)
    ? String(value)
    : value.replace(/[\\\t\n\r]/g, (sign) => COPY_ESCAPES[sign] ?? sign)
}

/** Parses the output of `COPY … TO STDOUT` in batches. NULL becomes an empty text. */
export async function* parseCopiedRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<string[][]> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of pieces) {
    // Splits only at a line end, because anywhere else the split could be inside a multi-byte character.
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

const UNESCAPED_CHARACTERS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

function parseValue(value: string): string {
  if (value === '\\N') return ''
  return value.replace(/\\(.)/g, (_, sign: string) => UNESCAPED_CHARACTERS[sign] ?? sign)
}
