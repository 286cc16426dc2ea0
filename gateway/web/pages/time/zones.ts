// Time zones: how their names are shown, and the options of a field.
import { t } from '../../locales/translate.ts'

/** An option of a field that chooses a zone. An alias is another name for the same zone. */
type Option = { value: string; label: string; isAlias?: true }

// Programs list the names of CLDR, which keeps the first name for ever. IANA has renamed these since.
const RENAMED: Record<string, string> = {
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

const currentName = (zone: string) => RENAMED[zone] ?? zone

/** The display name of a zone: America/New York. */
export function formatZone(zone: string): string {
  return currentName(zone).replaceAll('_', ' ')
}

/**
 * All zones, for a field that chooses one, by their current names. Renamed zones are also listed under their
 * old names. If the saved value is not in the list, it is added and keeps its name.
 */
export function zoneOptions(present?: string): Option[] {
  const listed = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')
  const names = [...new Set([...listed, ...Object.values(RENAMED)])].sort()
  const isListed = present === undefined || present === 'UTC' || names.includes(present)
  return [...(isListed ? [] : [present]), 'UTC', ...names].map((name) => {
    const now = currentName(name)
    if (now === name || name === present) return { value: name, label: formatZone(name) }
    return { value: now, label: t`${name.replaceAll('_', ' ')} (now ${formatZone(now)})`, isAlias: true }
  })
}

/**
 * The zone that most of these places are in, or that of the oldest place if several zones are equally common.
 * Used when no place is given.
 */
export function commonZone(places: readonly { id: number; zone: string }[]): string {
  const counts = new Map<string, number>()
  for (const { zone } of [...places].sort((a, b) => a.id - b.id))
    counts.set(zone, (counts.get(zone) ?? 0) + 1)
  // Equally common zones stay in the order of their first place.
  const [most] = [...counts].sort(([, many], [, more]) => more - many)
  return most?.[0] ?? 'UTC'
}
