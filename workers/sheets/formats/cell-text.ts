// Formats a numeric cell as people see it: without exponents or a trailing “.0”, and with dates in ISO form.
export type CellFormat = { kind: 'number' | 'date'; code: string }

const DAY_MS = 86_400_000
const SERIAL_DAYS_MAX = 2_958_466
const EPOCH_1900_MS = Date.UTC(1899, 11, 30)
const EPOCH_1904_MS = Date.UTC(1904, 0, 1)

// The number formats that xlsx files use without defining them.
const BUILT_IN_FORMATS: Record<number, string> = {
  1: '0',
  2: '0.00',
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm',
  19: 'h:mm:ss',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  45: 'mm:ss',
  46: 'h:mm:ss',
  47: 'mm:ss',
}

export function findFormat(id: number, codes: ReadonlyMap<number, string>): CellFormat {
  return parseFormat(codes.get(id) ?? BUILT_IN_FORMATS[id] ?? 'General')
}

export function parseFormat(code: string): CellFormat {
  // Removes texts, colours, conditions and currencies from the format, because they do not determine its kind. [h]
  // means a duration.
  const [positive = ''] = code.split(';')
  const signs = positive.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
  const isDate = !/general/i.test(signs) && /[ymdhs]/i.test(signs)
  return { kind: isDate ? 'date' : 'number', code: signs.toLowerCase().trim() }
}

export function formatNumber(value: number, format: CellFormat | undefined, is1904 = false): string {
  if (!Number.isFinite(value)) return ''
  if (format?.kind !== 'date') return applyDigitFormat(value, format?.code ?? '')
  if (value < 0 || value >= SERIAL_DAYS_MAX) return formatPlainNumber(value)
  return formatDate(value, format.code, is1904)
}

/** Returns the shortest text with the fifteen digits that spreadsheets keep. For example, 0.1 + 0.2 gives 0.3. */
export function formatPlainNumber(value: number): string {
  const text = String(Number(value.toPrecision(15)))
  const [, sign = '', whole = '', , fraction = '', exponent = '0'] =
    /^(-?)(\d+)(\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (whole === '') return text
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return (
    sign +
    (point >= digits.length ? digits.padEnd(point, '0') : `${digits.slice(0, point)}.${digits.slice(point)}`)
  )
}

// Applies a format that only sets the number of digits, such as 00000 for a personnel number. For all other formats,
// the plain number is the safest reading.
function applyDigitFormat(value: number, code: string): string {
  const [, whole = '', , decimals = '', percent = ''] = /^(0+)(\.(0+))?(%?)$/.exec(code) ?? []
  if (whole === '' || Math.abs(value) >= 1e15) return formatPlainNumber(value)
  const shown = Math.abs(percent ? value * 100 : value).toFixed(decimals.length)
  const width = whole.length + (decimals ? decimals.length + 1 : 0)
  return `${value < 0 && Number(shown) !== 0 ? '-' : ''}${shown.padStart(width, '0')}${percent}`
}

function formatDate(days: number, code: string, is1904: boolean): string {
  // Excel's 1900 date system includes 29 February 1900, a day that did not exist.
  const shifted = is1904 || days >= 60 ? days : days + 1
  const milliseconds = Math.round((shifted * DAY_MS) / 1000) * 1000
  const [date = '', time = ''] = new Date((is1904 ? EPOCH_1904_MS : EPOCH_1900_MS) + milliseconds)
    .toISOString()
    .split('T')
  const hasTime = /[hs]/.test(code)
  const clock = time.slice(0, 8)
  if (!/[yd]/.test(code) && hasTime) return days < 1 ? clock : formatDuration(days)
  return hasTime && clock !== '00:00:00' ? `${date}T${clock}` : date
}

function formatDuration(days: number): string {
  const seconds = Math.round(days * 86_400)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
