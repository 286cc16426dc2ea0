// Time zones: how their names are shown and offered.
import { t } from '../language/translate.ts'

/** As a field that chooses one offers it; an alias is another name for the same choice. */
type Option = { value: string; label: string; isAlias?: true }

// The names that programs list are those of CLDR, which keeps the first one for ever; IANA has changed these since.
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

const presentName = (zone: string) => RENAMED[zone] ?? zone

/** A zone as people read it: America/New York. */
export function formatZone(zone: string): string {
  return presentName(zone).replaceAll('_', ' ')
}

/**
 * Every zone for a field that chooses one, by its present name, and where it was renamed also at the place of its old
 * one. What is saved may have another name than those of the list, and keeps it.
 */
export function zoneOptions(present?: string): Option[] {
  const listed = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')
  const names = [...new Set([...listed, ...Object.values(RENAMED)])].sort()
  const isListed = present === undefined || present === 'UTC' || names.includes(present)
  return [...(isListed ? [] : [present]), 'UTC', ...names].map((name) => {
    const now = presentName(name)
    if (now === name || name === present) return { value: name, label: formatZone(name) }
    return { value: now, label: t`${name.replaceAll('_', ' ')} (now ${formatZone(now)})`, isAlias: true }
  })
}

/** The zone that most of these places are in, or that of the oldest: what is meant where no place is named. */
export function commonZone(places: readonly { id: number; zone: string }[]): string {
  const counts = new Map<string, number>()
  for (const { zone } of [...places].sort((a, b) => a.id - b.id))
    counts.set(zone, (counts.get(zone) ?? 0) + 1)
  // Zones that are as frequent stay in the order of their first place.
  const [most] = [...counts].sort(([, many], [, more]) => more - many)
  return most?.[0] ?? 'UTC'
}
