// Searches over days: those of a building's time zone where one is chosen, else of the zone that most buildings are in.
import { queryId, text } from '../../../shared/contracts/fields.ts'
import { formatLocalDate, startOfDay } from '../../../shared/utilities/wall-clock.ts'
import type { Html } from '../../http/html.ts'
import { addDaysToDate, formatDate } from '../time/dates.ts'
import { localDate } from '../time/fields.ts'
import { commonZone, formatZone } from '../time/zones.ts'
import type { Fields } from '../ui/fields.ts'
import type { BuildingChoice } from './choices.ts'

export const daySearch = {
  place: text({ max: 255 }),
  building: queryId(),
  from: localDate(),
  to: localDate(),
}

type DayQuery = { building?: number | undefined; from?: string | undefined; to?: string | undefined }

export type Days = {
  first: string
  last: string
  zone: string
  from: string
  to: string
  isReversed: boolean
}

/** Where nothing is said: so many days from today on. */
export function parseDays(query: DayQuery, buildings: BuildingChoice[], now: string, days: number): Days {
  const zone = buildings.find(({ id }) => id === query.building)?.zone ?? commonZone(buildings)
  const first = query.from ?? formatLocalDate(now, zone)
  const asLast = query.to ?? addDaysToDate(first, days - 1)
  // Whoever moves the first day on often leaves the last one where it was: that leads to a list, not to a failure.
  const isReversed = asLast < first
  const last = isReversed ? first : asLast
  return {
    first,
    last,
    zone,
    from: startOfDay(first, zone),
    to: startOfDay(addDaysToDate(last, 1), zone),
    isReversed,
  }
}

export function describeDays({ first, last, zone, isReversed }: Days): string {
  const days =
    first === last ? formatDate(first, 'long') : `${formatDate(first, 'long')} to ${formatDate(last, 'long')}`
  const hint = isReversed ? ' The last day is before the first, so only the first is shown.' : ''
  return `${days} (${formatZone(zone)}).${hint}`
}

export function showDaySearch(
  fields: Fields,
  query: DayQuery & { place?: string | undefined },
  buildings: BuildingChoice[],
  { first, last }: Days,
): Html[] {
  const options = buildings.map(({ id, name }) => ({ value: id, label: name }))
  return [
    fields.text({
      name: 'place',
      label: 'Place',
      type: 'search',
      value: query.place,
      placeholder: 'Floor, desk or room',
    }),
    fields.select({
      name: 'building',
      label: 'Building',
      value: query.building,
      options: [{ value: '', label: 'Any' }, ...options],
    }),
    fields.text({ name: 'from', label: 'First day', type: 'date', value: first }),
    fields.text({ name: 'to', label: 'Last day', type: 'date', value: last }),
  ]
}
