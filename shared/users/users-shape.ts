// A user as the API shows one.

import { json, number, objectJson, text } from '../schemas/json.ts'
import type { User, Vehicle } from './users.ts'

export const userJson = (row: string) =>
  objectJson<User>({
    id: number(`${row}.id`),
    name: text(`${row}.name`),
    email: text(`${row}.email`),
    extensionAttributes: json(`${row}.extension_attributes`),
  })

export const vehicleJson = (row: string) =>
  objectJson<Vehicle>({ id: number(`${row}.id`), license_plate: text(`${row}.license_plate`) })
