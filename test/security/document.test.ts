// Checks that docs/security.md covers every requirement, and that each test cited as evidence exists.
// cited-tests.json lists them by file and title, each with its rows or sections of the page.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'

// Requirements of levels 1 and 2 in ASVS 5.0.0, without chapters 10 (29) and 17 (7), which do not apply.
const REQUIREMENT_COUNT = 217

describe('docs/security.md', () => {
  const text = readFileSync(join(projectDirectory, 'docs/security.md'), 'utf8')
  const cited = JSON.parse(
    readFileSync(join(projectDirectory, 'test/security/cited-tests.json'), 'utf8'),
  ) as Record<string, Record<string, string>>

  it('has only cited tests that exist, with their file and title', () => {
    const missing = Object.entries(cited).flatMap(([file, tests]) => {
      const path = join(projectDirectory, file)
      const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
      return Object.keys(tests).filter((title) => !source.includes(title))
    })
    expect(missing).to.deep.equal([])
  })

  it('contains every row and section that a cited test proves', () => {
    const places = [...text.matchAll(/^(?:\| (API\d+|[^|]+)\b|#+ (.+)$)/gm)].map(
      ([, row, section]) => row ?? section,
    )
    const proven = Object.values(cited).flatMap((tests) =>
      Object.values(tests).flatMap((rows) => rows.split('; ')),
    )
    expect(proven).to.have.length.above(100)
    expect(proven.filter((each) => !places.includes(each))).to.deep.equal([])
  })

  it('lists every ASVS requirement exactly once', () => {
    const [, asvs = ''] = text.split('\n## ASVS')
    const rows = asvs
      .split('\n')
      .filter((line) => /^\| \d/.test(line))
      .map((line) => line.split('|')[1] ?? '')
    const [, apart = ''] = /Does not apply: ([\s\S]*?)\n\n/.exec(asvs) ?? []
    const named = [...rows, apart].flatMap((part) =>
      [...part.matchAll(/\b(\d+\.\d+)\.(\d+)(?: to \1\.(\d+))?/g)].flatMap(([, section, first, last]) => {
        const length = Number(last ?? first) - Number(first) + 1
        return Array.from({ length }, (_, index) => `${section}.${Number(first) + index}`)
      }),
    )
    expect(named.filter((each, index) => named.indexOf(each) !== index)).to.deep.equal([])
    expect(named).to.have.length(REQUIREMENT_COUNT)
  })
})
