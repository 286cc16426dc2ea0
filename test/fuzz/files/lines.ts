// Holds the lines for COPY against what Postgres takes: it would end the whole import over one of them.
const COLUMNS = 9
const JSON_COLUMNS = [5, 8]

/** Says what is wrong with the first line that is. */
export function findBrokenLine(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  if (bytes.includes(0)) return 'A NUL in the lines'
  // What is no UTF-8 comes out as this; a cell may hold it honestly.
  if (!Buffer.from(text).equals(bytes)) return 'The lines are not UTF-8'
  for (const line of text.split('\n').slice(0, -1)) {
    const fields = line.split('\t')
    if (fields.length !== COLUMNS) return `${fields.length} columns: ${line.slice(0, 300)}`
    if (!/^\d+$/.test(fields[0] ?? '')) return `No number of a row: ${line.slice(0, 300)}`
    for (const column of JSON_COLUMNS)
      if (!isJson(fields[column] ?? '')) return `No JSON in column ${column}: ${line.slice(0, 300)}`
  }
  return undefined
}

function isJson(field: string): boolean {
  if (field === '\\N') return true
  try {
    // Postgres takes no NUL in jsonb, and no half of a pair.
    return !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(JSON.parse(takeEscapesOff(field))))
  } catch {
    return false
  }
}

const takeEscapesOff = (field: string) =>
  field.replace(/\\(.)/g, (_, sign: string) => ({ t: '\t', n: '\n', r: '\r' })[sign] ?? sign)
