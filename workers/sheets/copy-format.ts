// Rows in the text format of Postgres' COPY. https://www.postgresql.org/docs/18/sql-copy.html
export type CopyValue = string | number | null

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

export function copyLine(values: CopyValue[]): string {
  return `${values.map(copyValue).join('\t')}\n`
}

/** A text[] as its literal; quoted always, so that no element is taken for NULL or loses its spaces. */
export function arrayLiteral(items: string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

function copyValue(value: CopyValue): string {
  if (value === null) return '\\N'
  return typeof value === 'number'
    ? String(value)
    : value.replace(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign)
}
