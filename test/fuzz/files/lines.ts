// Compares lines for COPY with what Postgres accepts: one bad line would fail the whole import.
const COLUMN_COUNT = 9
const JSON_COLUMN_INDEXES = [5, 8]

/** Describes the error in the first broken line, if there is one. */
export function findBrokenLine(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  if (bytes.includes(0)) return 'A NUL in the lines'
  // Compares bytes, because U+FFFD may result from invalid UTF-8 but may also be a valid part of a cell.
  if (!Buffer.from(text).equals(bytes)) return 'The lines are not UTF-8'
  for (const line of text.split('\n').slice(0, -1)) {
    const fields = line.split('\t')
    if (fields.length !== COLUMN_COUNT) return `${fields.length} columns: ${line.slice(0, 300)}`
    if (!/^\d+$/.test(fields[0] ?? '')) return `No number of a row: ${line.slice(0, 300)}`
    for (const column of JSON_COLUMN_INDEXES)
      if (!isJson(fields[column] ?? '')) return `No JSON in column ${column}: ${line.slice(0, 300)}`
  }
  return undefined
}

function isJson(field: string): boolean {
  if (field === '\\N') return true
  try {
    // Postgres accepts neither NUL nor a lone surrogate in jsonb.
    return !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(JSON.parse(removeEscapes(field))))
  } catch {
    return false
  }
}

const removeEscapes = (field: string) =>
  field.replace(/\\(.)/g, (_, sign: string) => ({ t: '\t', n: '\n', r: '\r' })[sign] ?? sign)
