// Validates the foreign key to series for existing bookings, none of which belongs to a series.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('bookings', 'bookings__series')
