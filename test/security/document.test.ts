// docs/security.md cites tests, and leaves out no requirement: both are held here.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/folders.ts'

// Requirements of levels 1 and 2 in ASVS 5.0.0, without the chapters 10 (29) and 17 (7), which apply to nothing here.
const REQUIREMENTS = 217

describe('docs/security.md', () => {
  const text = readFileSync(join(projectDirectory, 'docs/security.md'), 'utf8')
  const [body = '', list = ''] = text.split('\n## Tests\n')
  const tests = [...list.matchAll(/^\| (T\d+) \| `([^`]+)` \| (.+) \|$/gm)].map(
    ([, id = '', file = '', title = '']) => ({
      id,
      file,
      title,
    }),
  )

  it('cites tests that are there, by file and title', () => {
    const missing = tests.filter(({ file, title }) => {
      const path = join(projectDirectory, file)
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(title)
    })
    expect(tests).to.have.length.above(100)
    expect(missing).to.deep.equal([])
  })

  it('lists each test that it cites once, and no other', () => {
    const cited = new Set([...body.matchAll(/\bT\d+\b/g)].map(([id]) => id))
    expect(tests.map(({ id }) => id)).to.have.members([...cited])
  })

  it('names every requirement of ASVS once', () => {
    const [, asvs = ''] = body.split('\n## ASVS')
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
    expect(named).to.have.length(REQUIREMENTS)
  })
})
