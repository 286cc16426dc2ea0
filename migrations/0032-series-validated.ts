// That bookings name series which are there holds for the old ones, too, of which none has any.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('bookings', 'bookings__series')
