// Time zones: one format for each, and the IANA spelling of their names, which users may write in any letter
// case. Intl accepts any case, and lists the zones in use; older names that still work are spelled by rule,
// and the exceptions are listed here.

const OLDER = `CET CST6CDT EET EST EST5EDT HST MET MST MST7MDT PST8PDT WET GB GB-Eire NZ NZ-CHAT PRC ROC ROK W-SU
  Australia/ACT Australia/LHI Australia/NSW Brazil/DeNoronha Chile/EasterIsland Mexico/BajaNorte Mexico/BajaSur
  America/Knox_IN America/Argentina/ComodRivadavia`

let spelled: Map<string, string> | undefined

/** `name` must be a name that Intl knows. */
export function spellTimezone(name: string): string {
  const names = () => [...Intl.supportedValuesOf('timeZone'), ...OLDER.split(/\s+/)]
  spelled ??= new Map(names().map((each) => [each.toLowerCase(), each]))
  return spelled.get(name.toLowerCase()) ?? capitalize(name)
}

/** Creates a format once per zone, because that is costly. Returns a function that looks it up. */
export function createZoneFormat(
  options: Intl.DateTimeFormatOptions,
): (zone: string, locale?: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>()
  return (zone, locale = 'en-GB') => {
    // Names are valid in any letter case, and events bring their own: one format per spelling would fill the
    // memory.
    const key = `${locale} ${zone.toLowerCase()}`
    const known = formats.get(key)
    if (known) return known
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
    formats.set(key, format)
    return format
  }
}

const clockFormat = createZoneFormat({
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

const MINUTE_MS = 60_000
// Since then every zone has changed its clocks at the beginning of a minute.
const FIRST_WHOLE_MINUTE = Date.UTC(1973, 0) / MINUTE_MS
const DIFFERENCES_MAX = 10_000
/** By minute and zone: what clocks there show, minus UTC. Pages show the same few moments again and again. */
const differences = new Map<string, number>()

/** What clocks there show, as if it were UTC. */
export function wallMs(ms: number, zone: string): number {
  const minute = Math.floor(ms / MINUTE_MS)
  if (minute < FIRST_WHOLE_MINUTE) return readWallMs(ms, zone)
  const key = `${minute} ${zone}`
  let difference = differences.get(key)
  if (difference === undefined) {
    difference = readWallMs(ms, zone) - ms
    if (differences.size >= DIFFERENCES_MAX) differences.clear()
    differences.set(key, difference)
  }
  return ms + difference
}

function readWallMs(ms: number, zone: string): number {
  const parts = Object.fromEntries(
    clockFormat(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const { year = '', month, day, hour, minute, second } = parts
  // In the east the year 9999 ends earlier: an instant of it in UTC may belong to the next year there.
  const digits = year.length > 4 ? `+${year.padStart(6, '0')}` : year.padStart(4, '0')
  const whole = `${digits}-${month}-${day}T${hour}:${minute}:${second}Z`
  return Date.parse(whole) + (((ms % 1000) + 1000) % 1000)
}

// Asia/Kolkata, Etc/GMT+5, US/Indiana-Starke.
function capitalize(name: string): string {
  const words = name.toLowerCase().replace(/(^|[/_-])([a-z])/g, (start) => start.toUpperCase())
  return words.replace(/(^|\/)(Gmt|Utc|Uct|Us)(?=$|[/+\d-])/g, (word) => word.toUpperCase())
}
