// Time zones: a date format for each zone, and the IANA spelling of their names, which users may write in any letter
// case. Intl accepts any letter case and lists the zones in use. Older names that still work are capitalized by rule,
// and this file lists the exceptions.

const OLDER_ZONE_NAMES = `CET CST6CDT EET EST EST5EDT HST MET MST MST7MDT PST8PDT WET GB GB-Eire NZ NZ-CHAT PRC ROC ROK W-SU
  Australia/ACT Australia/LHI Australia/NSW Brazil/DeNoronha Chile/EasterIsland Mexico/BajaNorte Mexico/BajaSur
  America/Knox_IN America/Argentina/ComodRivadavia`

let zoneSpellings: Map<string, string> | undefined

/** Returns the IANA spelling of a time zone name that Intl knows. */
export function spellTimezone(name: string): string {
  const names = () => [...Intl.supportedValuesOf('timeZone'), ...OLDER_ZONE_NAMES.split(/\s+/)]
  zoneSpellings ??= new Map(names().map((each) => [each.toLowerCase(), each]))
  return zoneSpellings.get(name.toLowerCase()) ?? capitalizeZoneName(name)
}

/**
 * Returns a function that returns the date format of a zone. Each format is created only once, because creating one is
 * expensive.
 */
export function createZoneFormat(
  options: Intl.DateTimeFormatOptions,
): (zone: string, locale?: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>()
  return (zone, locale = 'en-GB') => {
    // Zone names are valid in any letter case, and events store their zone as it was written. A format for each
    // spelling would fill the memory.
    const key = `${locale} ${zone.toLowerCase()}`
    const known = formats.get(key)
    if (known) return known
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
    formats.set(key, format)
    return format
  }
}

const getClockFormat = createZoneFormat({
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

const MINUTE_MS = 60_000
// The first minute from which every zone has changed its clocks only at the beginning of a minute.
const FIRST_WHOLE_MINUTE = Date.UTC(1973, 0) / MINUTE_MS
const CACHED_OFFSETS_MAX = 10_000
/** Cached offsets of local time from UTC, by minute and zone. Pages show the same few instants again and again. */
const cachedOffsets = new Map<string, number>()

/** Returns the local time in a zone, as the number of milliseconds since 1970 as if local time were UTC. */
export function localTimeMs(ms: number, zone: string): number {
  const minute = Math.floor(ms / MINUTE_MS)
  if (minute < FIRST_WHOLE_MINUTE) return readWallMs(ms, zone)
  const key = `${minute} ${zone}`
  let difference = cachedOffsets.get(key)
  if (difference === undefined) {
    difference = readWallMs(ms, zone) - ms
    if (cachedOffsets.size >= CACHED_OFFSETS_MAX) cachedOffsets.clear()
    cachedOffsets.set(key, difference)
  }
  return ms + difference
}

function readWallMs(ms: number, zone: string): number {
  const parts = Object.fromEntries(
    getClockFormat(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const { year = '', month, day, hour, minute, second } = parts
  // An instant in the year 9999 in UTC may be in the next year in zones east of Greenwich.
  const digits = year.length > 4 ? `+${year.padStart(6, '0')}` : year.padStart(4, '0')
  const whole = `${digits}-${month}-${day}T${hour}:${minute}:${second}Z`
  return Date.parse(whole) + (((ms % 1000) + 1000) % 1000)
}

// Capitalizes a time zone name by rule, as in Asia/Kolkata, Etc/GMT+5 and US/Indiana-Starke.
function capitalizeZoneName(name: string): string {
  const words = name.toLowerCase().replace(/(^|[/_-])([a-z])/g, (start) => start.toUpperCase())
  return words.replace(/(^|\/)(Gmt|Utc|Uct|Us)(?=$|[/+\d-])/g, (word) => word.toUpperCase())
}
