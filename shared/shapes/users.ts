// A user as the API shows one.
import { objectJson } from './json.ts'

export const userJson = (row: string) =>
  objectJson({
    id: `${row}.id`,
    name: `${row}.name`,
    email: `${row}.email`,
    extensionAttributes: `${row}.extension_attributes`,
  })
