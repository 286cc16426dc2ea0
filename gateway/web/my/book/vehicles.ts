// The vehicle for a parking spot: one of the person's vehicles, or a plate that the person enters, which is
// added to their vehicles.
import { normalizePlate } from '../../../../shared/users/plates.ts'
import { nameWithoutSemicolon } from '../../../../shared/users/user-fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { parseVehicle, vehicleField } from '../../pages/bookings/several-days.ts'
import type { ActionCall } from '../../pages/page/page.ts'
import { listVehicles, type VehicleChoice } from '../../pages/search/choices.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import type { SeatDetails } from './seats.ts'

export const ownVehicleFields = { ...vehicleField, license_plate: nameWithoutSemicolon() }

export function showVehicleFields(
  fields: Fields,
  { requiresVehicle }: Pick<SeatDetails, 'requiresVehicle'>,
  vehicles: VehicleChoice[],
): Html {
  const own = vehicles.map(({ id, plate }) => ({ value: id, label: plate }))
  const none = { value: 'none', label: t`No vehicle` }
  const options = requiresVehicle ? own : [...own, none]
  const plate = own.length > 0 ? t`Or another license plate` : t`License plate`
  return html`${own.length > 0 && fields.select('user_vehicle_id', t`Vehicle`, { options, value: options[0]?.value, required: true })}
${fields.text('license_plate', plate, { required: requiresVehicle && own.length === 0, maxlength: 20 })}`
}

type TypedVehicle = { user_vehicle_id?: string | undefined; license_plate?: string | undefined }

/** Returns the vehicle's id. A typed plate is added to the person's vehicles, unless they already have it. */
export async function findOrAddVehicle(
  call: ActionCall<unknown, unknown, TypedVehicle>,
): Promise<number | null> {
  const { license_plate, user_vehicle_id } = call.form
  if (license_plate === undefined) return parseVehicle(user_vehicle_id) ?? null
  const user_id = call.requirePerson().id
  const known = (await listVehicles(call.reads, user_id)).find(
    ({ plate }) => normalizePlate(plate) === normalizePlate(license_plate),
  )
  return known?.id ?? (await call.dispatch('users.add-vehicle', { user_id, license_plate })).data.id
}
