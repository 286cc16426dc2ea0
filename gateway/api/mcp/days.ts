// Converts the days that agents name to times: when a day starts and ends in the time zone of the place.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { findStartOfDay, formatLocalDate, parseLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { addDays } from '../../../shared/utilities/date-times.ts'
import type { Building, Place, PlaceCache } from './places.ts'

export type PlaceInput = { building_id?: number | undefined; location_id?: number | undefined }
export type ResolvedPlace = {
  building_id: number | undefined
  location_id: number | undefined
  zone: string
}

/**
 * Returns the given place. Defaults to the only building, or to undefined if the caller must name a place. Refuses an
 * unknown place with 404.
 */
export async function findPlace(given: PlaceInput, places: PlaceCache): Promise<ResolvedPlace | undefined> {
  const { building_id, location_id } = given
  if (location_id !== undefined) return resolveLocation(location_id, building_id, places)
  const buildings = await places.findBuildings(building_id)
  const [first] = buildings
  if (building_id !== undefined && !first)
    throw new Refusal('not_found', message`There is no building with this id.`)
  return first && buildings.length === 1 ? resolveBuilding(first) : undefined
}

export async function resolveLocation(
  id: number,
  buildingId: number | undefined,
  places: PlaceCache,
): Promise<ResolvedPlace> {
  const place = (await places.find([id])).get(id)
  if (!place || (buildingId !== undefined && place.building_id !== buildingId))
    throw new Refusal('not_found', message`There is no floor with this id.`)
  return toResolvedPlace(place)
}

export const resolveBuilding = ({ id, zone }: Building): ResolvedPlace => ({
  building_id: id,
  location_id: undefined,
  zone,
})

const toResolvedPlace = ({ building_id, location_id, zone }: Place): ResolvedPlace => ({
  building_id,
  location_id,
  zone,
})

/** Returns the time zone that all buildings share, or UTC if the buildings are in several zones. */
export async function findCommonZone(places: PlaceCache): Promise<string> {
  const zones = new Set((await places.findBuildings()).map(({ zone }) => zone))
  const [zone = 'UTC'] = zones
  return zones.size === 1 ? zone : 'UTC'
}

/** Resolves `today`, `tomorrow` or a date to a date in this time zone. */
export function resolveDate(day: string, zone: string, now: string): string {
  const today = formatLocalDate(now, zone)
  if (day === 'today') return today
  return day === 'tomorrow' ? addDaysToDate(today, 1) : day
}

const addDaysToDate = (date: string, days: number) => addDays(`${date}T00:00:00.000000Z`, days).slice(0, 10)

/** Returns the span from the start of the day to its end, or to the end of the last day if there are several. */
export function toWholeDays(date: string, zone: string, days = 1): { from: string; to: string } {
  return { from: findStartOfDay(date, zone), to: findStartOfDay(addDaysToDate(date, days), zone) }
}

export type TimesInput = { start_time?: string | undefined; end_time?: string | undefined }

const DAY_STARTS_AT = '09:00'
const DAY_ENDS_AT = '17:00'
export const WORKING_DAY = { STARTS: DAY_STARTS_AT, ENDS: DAY_ENDS_AT }

/** Returns the requested hours of a day. If the day is today, the hours start now unless the caller gives a start. */
export function resolveHours(
  date: string,
  zone: string,
  now: string,
  given: TimesInput,
): { from: string; to: string } {
  const { start_time, end_time = DAY_ENDS_AT } = given
  const start = parseLocalDateTime(`${date}T${start_time ?? DAY_STARTS_AT}`, zone, 'start_time')
  const to = parseLocalDateTime(`${date}T${end_time}`, zone, 'end_time')
  return { from: start_time === undefined && start < now && now < to ? now : start, to }
}
