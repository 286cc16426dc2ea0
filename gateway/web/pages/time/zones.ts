// Time zones: how their names are shown, and the options of a time zone field.
import { t } from '../../locales/translate.ts'

/** An option of a field that chooses a zone. An alias is another name of the same zone. */
type ZoneOption = { value: string; label: string; isAlias?: true }

// Time zones that IANA has renamed. Programs list the names in CLDR, which always keeps the first name of a
// zone.
const RENAMED_ZONES: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

const findCurrentName = (zone: string) => RENAMED_ZONES[zone] ?? zone

/** Formats the name of a time zone, such as America/New York. */
export function formatZone(zone: string): string {
  return findCurrentName(zone).replaceAll('_', ' ')
}

// Characters of a private area of Unicode, which enclose a time zone until the whole page is known.
const [MARK_START, MARK_END] = ['\ue000', '\ue001']
const ZONE_MARKS = new RegExp(`${MARK_START}(-?)([\\w+/-]+)${MARK_END}`, 'g')
const BROKEN_MARKS = new RegExp(`${MARK_START}[\\w+/-]*|${MARK_END}`, 'g')

/** Returns a mark that follows a formatted time. `nameMarkedZones` replaces it when the whole page is known. */
export const markZone = (zone: string): string => MARK_START + zone + MARK_END

/** Returns a mark for a place whose time zone differs from that of a formatted time. The mark names no zone itself. */
export const noteZone = (zone: string): string => `${MARK_START}-${zone}${MARK_END}`

/** Names the time zone after each marked time of a page, but only if the page is about several time zones. */
export function nameMarkedZones(page: string): string {
  if (!page.includes(MARK_START)) return page
  const zones = Array.from(page.matchAll(ZONE_MARKS), ([, , zone = '']) => formatZone(zone))
  const areMixed = new Set(zones).size > 1
  return page
    .replace(ZONE_MARKS, (_mark, note: string, zone: string) =>
      areMixed && note === '' ? ` (${formatZone(zone)})` : '',
    )
    .replace(BROKEN_MARKS, '')
}

/** Lists all time zones by their current names, for a field that chooses one. Renamed zones are also listed
 * under their old names. A saved value that is missing from the list is added under its own name. */
export function listZoneOptions(present?: string): ZoneOption[] {
  const listed = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')
  const names = [...new Set([...listed, ...Object.values(RENAMED_ZONES)])].sort()
  const isListed = present === undefined || present === 'UTC' || names.includes(present)
  return [...(isListed ? [] : [present]), 'UTC', ...names].map((name) => {
    const now = findCurrentName(name)
    if (now === name || name === present) return { value: name, label: formatZone(name) }
    return { value: now, label: t`${name.replaceAll('_', ' ')} (now ${formatZone(now)})`, isAlias: true }
  })
}

/** Returns the time zone that most of these places are in, or the zone of the oldest place if several zones
 * are equally common. Used if no place is given. */
export function chooseCommonZone(places: readonly { id: number; zone: string }[]): string {
  const counts = new Map<string, number>()
  for (const { zone } of [...places].sort((a, b) => a.id - b.id))
    counts.set(zone, (counts.get(zone) ?? 0) + 1)
  // Equally common time zones stay in the order of their first places.
  const [most] = [...counts].sort(([, many], [, more]) => more - many)
  return most?.[0] ?? 'UTC'
}
