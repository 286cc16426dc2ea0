// What the forms of bookings have in common: their fields, and what was typed as the API takes it.
import { BOOKABLE_TYPES } from '../../../shared/contracts/bookables.ts'
import { email, queryFlag, text } from '../../../shared/contracts/fields.ts'
import { invalid } from '../../../shared/refusal.ts'
import type { Content } from '../../http/html.ts'
import type { VehicleChoice } from '../search/choices.ts'
import { localDateTime } from '../time/fields.ts'
import { parseLocalDateTime } from '../time/wall-clock.ts'
import type { Fields } from '../ui/fields.ts'

const NO_VEHICLE = 'none'

export const timeFields = { from_time: localDateTime(), to_time: localDateTime() }
export const openField = { is_open: queryFlag() }
export const guestFields = {
  guest_name: text({ max: 255 }),
  guest_email: email(),
  booking_info: text({ max: 1000 }),
}
export const vehicleField = {
  user_vehicle_id: text({ max: 20 }).matches(/^(none|\d{1,16})$/, 'Choose one of the vehicles.'),
}

type Times = { from_time?: string | undefined; to_time?: string | undefined }

/** Both as instants; what was not typed is undefined. */
export function readTimes({ from_time, to_time }: Times, zones: { from: string; to: string }) {
  const from = from_time && parseLocalDateTime(from_time, zones.from, 'from_time')
  const to = to_time && parseLocalDateTime(to_time, zones.to, 'to_time')
  if (from && to && to <= from) throw invalid({ to_time: ['The end must be after the start.'] })
  return { from: from || undefined, to: to || undefined }
}

export function readVehicle(typed: string | undefined): number | null | undefined {
  if (typed === undefined) return undefined
  return typed === NO_VEHICLE ? null : Number(typed)
}

export function hasVehicle({ type }: { type: number }): boolean {
  return type === BOOKABLE_TYPES.parkingSpot
}

/** For parking only. */
export function showVehicle(
  fields: Fields,
  spot: { type: number; requiresVehicle: boolean },
  vehicles: VehicleChoice[],
  present?: number | null,
): Content {
  if (!hasVehicle(spot)) return null
  const none = { value: NO_VEHICLE, label: 'No vehicle' }
  const own = vehicles.map(({ id, plate }) => ({ value: id, label: plate }))
  const options = spot.requiresVehicle && own.length > 0 ? own : [none, ...own]
  return fields.select({
    name: 'user_vehicle_id',
    label: 'Vehicle',
    required: spot.requiresVehicle,
    hint: own.length === 0 ? 'This person has no vehicles. Add one on their page.' : undefined,
    options,
    value: present ?? options[0]?.value,
  })
}

export function showGuest(fields: Fields): Content {
  return [
    fields.text({
      name: 'guest_name',
      label: 'Guest name',
      hint: 'If the booking is for a guest.',
      maxlength: 255,
    }),
    fields.text({ name: 'guest_email', label: 'Guest e-mail', type: 'email', maxlength: 255 }),
    fields.text({ name: 'booking_info', label: 'Purpose', maxlength: 1000 }),
  ]
}
