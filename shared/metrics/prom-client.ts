// Loaded where figures are read: a worker that shows none does without, and without what comes with it.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const loadPromClient = (): typeof import('prom-client') => require('prom-client')
