// Validates the foreign key from events to series, for existing events, none of which belongs to a series.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('events', 'events__series')
