// A group as the API shows one.
import { objectJson } from './json.ts'

export const groupJson = (row: string) => objectJson({ id: `${row}.id`, name: `${row}.name` })
