// Reads the examples of docs/interface.md, which tests compare with answers.
import { readFileSync } from 'node:fs'

/** Returns the first JSON block after the given words. */
export function findExample(words: string) {
  const page = readFileSync('docs/interface.md', 'utf8')
  const [, json] = /```json\n(.*?)```/s.exec(page.slice(page.indexOf(words))) ?? []
  if (json === undefined || !page.includes(words))
    throw new Error(`docs/interface.md has no example behind “${words}”`)
  return JSON.parse(json)
}
