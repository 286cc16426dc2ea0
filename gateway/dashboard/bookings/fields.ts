// The fields that booking forms share, and the conversion of their values to job input.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { queryFlag, text } from '../../../shared/schemas/fields.ts'
import type { Content } from '../../http/html.ts'
import { typedEmail } from '../kit/typed-email.ts'
import { t } from '../locales/translate.ts'
import type { VehicleChoice } from '../search/choices.ts'
import { localDateTime } from '../time/fields.ts'
import type { Fields } from '../ui/fields.ts'

const NO_VEHICLE = 'none'

export const timeFields = { from_time: localDateTime(), to_time: localDateTime() }
export const openField = { is_open: queryFlag() }
export const guestFields = {
  guest_name: text({ max: 255 }),
  guest_email: typedEmail(),
  booking_info: text({ max: 1000 }),
}
export const vehicleField = {
  user_vehicle_id: text({ max: 20 }).matches(/^(none|\d{1,16})$/, () => message`Choose one of the vehicles.`),
}

export function parseVehicle(typed: string | undefined): number | null | undefined {
  if (typed === undefined) return undefined
  return typed === NO_VEHICLE ? null : Number(typed)
}

/** Shows the vehicle field for parking spots only. */
export function showVehicleField(
  fields: Fields,
  spot: { type: number; requiresVehicle: boolean },
  vehicles: VehicleChoice[],
  present?: number | null,
): Content {
  if (spot.type !== BOOKABLE_TYPES.parkingSpot) return null
  const none = { value: NO_VEHICLE, label: t`No vehicle` }
  const own = vehicles.map(({ id, plate }) => ({ value: id, label: plate }))
  const options = spot.requiresVehicle && own.length > 0 ? own : [none, ...own]
  return fields.select({
    name: 'user_vehicle_id',
    label: t`Vehicle`,
    required: spot.requiresVehicle,
    hint: own.length === 0 ? t`This person has no vehicles. Add one on their page.` : undefined,
    options,
    value: present ?? options[0]?.value,
  })
}

export function showGuestFields(fields: Fields): Content {
  return [
    fields.text({
      name: 'guest_name',
      label: t`Guest name`,
      hint: t`If the booking is for a guest.`,
      maxlength: 255,
    }),
    fields.text({ name: 'guest_email', label: t`Guest e-mail`, type: 'email', maxlength: 255 }),
    fields.text({ name: 'booking_info', label: t`Purpose`, maxlength: 1000 }),
  ]
}
