// Resolves days and places that agents name: the time zone that applies, and when a day starts and ends there.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { formatLocalDate, parseLocalDateTime, startOfDay } from '../../../shared/schemas/wall-clock.ts'
import { addDays } from '../../../shared/utilities/date-times.ts'
import type { Building, Place, Places } from './places.ts'

export type GivenPlace = { building_id?: number | undefined; location_id?: number | undefined }
export type FoundPlace = {
  building_id: number | undefined
  location_id: number | undefined
  zone: string
}

/** The given place, or the only building. Undefined if the place must be named. Unknown places are 404. */
export async function findPlace(given: GivenPlace, places: Places): Promise<FoundPlace | undefined> {
  const { building_id, location_id } = given
  if (location_id !== undefined) return ofLocation(location_id, building_id, places)
  const buildings = await places.findBuildings(building_id)
  const [first] = buildings
  if (building_id !== undefined && !first)
    throw new Refusal('not_found', message`There is no building with this id.`)
  return first && buildings.length === 1 ? ofBuilding(first) : undefined
}

export async function ofLocation(
  id: number,
  buildingId: number | undefined,
  places: Places,
): Promise<FoundPlace> {
  const place = (await places.find([id])).get(id)
  if (!place || (buildingId !== undefined && place.building_id !== buildingId))
    throw new Refusal('not_found', message`There is no floor with this id.`)
  return toFound(place)
}

export const ofBuilding = ({ id, zone }: Building): FoundPlace => ({
  building_id: id,
  location_id: undefined,
  zone,
})

const toFound = ({ building_id, location_id, zone }: Place): FoundPlace => ({
  building_id,
  location_id,
  zone,
})

/** The time zone that all buildings share, or UTC. */
export async function commonZone(places: Places): Promise<string> {
  const zones = new Set((await places.findBuildings()).map(({ zone }) => zone))
  const [zone = 'UTC'] = zones
  return zones.size === 1 ? zone : 'UTC'
}

/** The date that `today`, `tomorrow` or a date means there. */
export function dateOf(day: string, zone: string, now: string): string {
  const today = formatLocalDate(now, zone)
  if (day === 'today') return today
  return day === 'tomorrow' ? dayAfter(today, 1) : day
}

const dayAfter = (date: string, days: number) => addDays(`${date}T00:00:00.000000Z`, days).slice(0, 10)

/** From the start of the day to its end, or to the end of a later day. */
export function wholeDays(date: string, zone: string, days = 1): { from: string; to: string } {
  return { from: startOfDay(date, zone), to: startOfDay(dayAfter(date, days), zone) }
}

export type GivenTimes = { start_time?: string | undefined; end_time?: string | undefined }

const STARTS = '09:00'
const ENDS = '17:00'
export const WORKING_DAY = { STARTS, ENDS }

/** The requested hours. For today, they start now unless a start is given. */
export function hoursOf(
  date: string,
  zone: string,
  now: string,
  given: GivenTimes,
): { from: string; to: string } {
  const { start_time, end_time = ENDS } = given
  const start = parseLocalDateTime(`${date}T${start_time ?? STARTS}`, zone, 'start_time')
  const to = parseLocalDateTime(`${date}T${end_time}`, zone, 'end_time')
  return { from: start_time === undefined && start < now && now < to ? now : start, to }
}
