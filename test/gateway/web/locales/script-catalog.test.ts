// Tests that every sentence of the pages' scripts has a German translation, and that their catalog has no
// other entries.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { findSentences, SCRIPTS_FOLDER } from './sentences.ts'

describe('the German message catalog of the scripts', () => {
  const found = findSentences(SCRIPTS_FOLDER)
  const german: Record<string, string> = JSON.parse(
    readFileSync(join(projectDirectory, SCRIPTS_FOLDER, 'shared/german.json'), 'utf8'),
  )

  it('has every sentence of the scripts, and no other sentences', () => {
    expect(found.length).to.be.greaterThan(30)
    const keys = new Set(found.map(({ key }) => key))
    expect(Object.keys(german).sort()).to.deep.equal([...keys].sort())
  })

  it('has plural forms for sentences with counts, and for no other sentences', () => {
    const wrong = found.filter(({ key, isPlural }) => german[key]?.includes(' | ') !== isPlural)
    expect(wrong).to.deep.equal([])
  })

  it('keeps every placeholder of a sentence', () => {
    const valuesOf = (text: string) => [...new Set(text.match(/\{\d+\}|#/g) ?? [])].sort().join()
    const wrong = Object.entries(german).flatMap(([key, translation]) =>
      translation.split(' | ').filter((each) => valuesOf(each) !== valuesOf(key)),
    )
    expect(wrong).to.deep.equal([])
  })
})
