// The examples of docs/interface.md, which are compared with answers.
import { readFileSync } from 'node:fs'

/** The first block of JSON behind these words. */
export function exampleOf(words: string) {
  const page = readFileSync('docs/interface.md', 'utf8')
  const [, json] = /```json\n(.*?)```/s.exec(page.slice(page.indexOf(words))) ?? []
  if (json === undefined || !page.includes(words))
    throw new Error(`docs/interface.md has no example behind “${words}”`)
  return JSON.parse(json)
}
