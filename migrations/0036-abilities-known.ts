// The abilities of tokens hold for those that were there before, too.
import { validateConstraint } from './steps/beside-writers.ts'

export const { config, up, down } = validateConstraint('tokens', 'tokens__abilities_known')
