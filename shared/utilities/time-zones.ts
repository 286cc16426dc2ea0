// Time zones: a format for each, and how IANA spells their names, which are taken in any letter case. Intl knows them in
// any, and lists those in use; the older names that still work are spelled by rule, and those that break it are listed here.

const OLDER = `CET CST6CDT EET EST EST5EDT HST MET MST MST7MDT PST8PDT WET GB GB-Eire NZ NZ-CHAT PRC ROC ROK W-SU
  Australia/ACT Australia/LHI Australia/NSW Brazil/DeNoronha Chile/EasterIsland Mexico/BajaNorte Mexico/BajaSur
  America/Knox_IN America/Argentina/ComodRivadavia`

let spelled: Map<string, string> | undefined

/** `name` is one that Intl knows. */
export function spellTimezone(name: string): string {
  const names = () => [...Intl.supportedValuesOf('timeZone'), ...OLDER.split(/\s+/)]
  spelled ??= new Map(names().map((each) => [each.toLowerCase(), each]))
  return spelled.get(name.toLowerCase()) ?? capitalize(name)
}

/** A format is costly to make: each zone's is made once. Returns what finds it. */
export function createZoneFormat(
  options: Intl.DateTimeFormatOptions,
): (zone: string, locale?: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>()
  return (zone, locale = 'en-GB') => {
    // Names are known in any letter case, and events bring theirs: a format for each way to write one would fill memory.
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

/** What the clocks show, as if it were UTC. */
export function wallMs(ms: number, zone: string): number {
  const parts = Object.fromEntries(
    clockFormat(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const { year = '', month, day, hour, minute, second } = parts
  // In the east the year 9999 ends earlier: what is an instant of it in UTC may be one of the next there.
  const digits = year.length > 4 ? `+${year.padStart(6, '0')}` : year.padStart(4, '0')
  const whole = `${digits}-${month}-${day}T${hour}:${minute}:${second}Z`
  return Date.parse(whole) + (((ms % 1000) + 1000) % 1000)
}

// Asia/Kolkata, Etc/GMT+5, US/Indiana-Starke.
function capitalize(name: string): string {
  const words = name.toLowerCase().replace(/(^|[/_-])([a-z])/g, (start) => start.toUpperCase())
  return words.replace(/(^|\/)(Gmt|Utc|Uct|Us)(?=$|[/+\d-])/g, (word) => word.toUpperCase())
}
