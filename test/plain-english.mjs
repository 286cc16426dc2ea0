// Finds words that a native speaker would not use here, in code, comments and docs. `npm run check` runs it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const ODD =
  /\b(whoever|whomever|wherefrom|whereto|thereof|(?:is|are|was|were) told|what (?:became|becomes) of|takes? back|took back)\b/i
const PLACES = process.argv.slice(2)

const files = execFileSync('git', ['ls-files', '--', ...PLACES], { encoding: 'utf8' }).split('\n')
const found = files
  .filter((file) => /\.(ts|js|mjs|css|md|yml|yaml)$/.test(file) && file !== 'test/plain-english.mjs')
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const [word] = ODD.exec(line) ?? []
        return word === undefined ? [] : [`${file}:${index + 1}: “${word}”: ${line.trim()}`]
      }),
  )
if (found.length > 0) {
  console.error(`Say it in plain English (see CONTRIBUTING.md):\n${found.join('\n')}`)
  process.exitCode = 1
}
