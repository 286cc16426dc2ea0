// Runs a command from dist/ (`npm run token -- list`), so that an installed Berth does not need to build anything.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const [node, , name, ...args] = process.argv
const file = join(import.meta.dirname, 'dist/commands', `${name}.js`)
if (!existsSync(file)) {
  console.error('Berth is not built. Run: npm ci && npm run build')
  process.exit(1)
}
process.argv = [node, file, ...args]
await import(file)
