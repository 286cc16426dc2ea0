// A location as the API shows one.
import { objectJson } from './json.ts'

export const locationJson = (row: string) =>
  objectJson({ id: `${row}.id`, name: `${row}.name`, code: `${row}.code` })
