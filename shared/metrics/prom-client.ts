// Loads prom-client on first use: a worker without metrics does not need it, or its dependencies.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const loadPromClient = (): typeof import('prom-client') => require('prom-client')
