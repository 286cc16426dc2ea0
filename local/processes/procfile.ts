// Reads the Procfile: one line per kind of process, as on hosting platforms. `npm start` runs the same lines.
import { readFileSync } from 'node:fs'

export type ProcessLine = { name: string; command: string }

/** Every line except `release`, which is for deployments. */
export function readProcfile(file: string): ProcessLine[] {
  return parseProcfile(readFileSync(file, 'utf8')).filter(({ name }) => name !== 'release')
}

export function parseProcfile(text: string): ProcessLine[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, command] = /^([A-Za-z0-9_-]+):\s*(.+?)\s*$/.exec(line) ?? []
    return name && command ? [{ name, command }] : []
  })
}
