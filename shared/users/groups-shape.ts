// A group as the API shows one.

import { number, objectJson, text } from '../schemas/json.ts'
import type { Group } from './groups.ts'

export const groupJson = (row: string) =>
  objectJson<Group>({ id: number(`${row}.id`), name: text(`${row}.name`) })
