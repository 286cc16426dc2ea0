// The messages for places that do not exist.
import { message } from './message.ts'

export const MISSING_PLACE = {
  buildings: message`There is no building with this id.`,
  locations: message`There is no location with this id.`,
  bookables: message`There is no bookable with this id.`,
}
