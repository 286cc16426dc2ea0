// A group as the API shows one.
import type { Group } from '../contracts/groups.ts'
import { number, objectJson, text } from './json.ts'

export const groupJson = (row: string) =>
  objectJson<Group>({ id: number(`${row}.id`), name: text(`${row}.name`) })
