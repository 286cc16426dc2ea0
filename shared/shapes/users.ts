// A user as the API shows one.
import type { User } from '../contracts/users.ts'
import { json, objectJson } from './json.ts'

export const userJson = (row: string) =>
  objectJson<User>({
    id: `${row}.id`,
    name: `${row}.name`,
    email: `${row}.email`,
    extensionAttributes: json(`${row}.extension_attributes`),
  })
