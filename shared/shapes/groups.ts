// A group as the API shows one.
import type { Group } from '../contracts/groups.ts'
import { objectJson } from './json.ts'

export const groupJson = (row: string) => objectJson<Group>({ id: `${row}.id`, name: `${row}.name` })
