// Tests the initials and colours of people.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  chooseHue,
  formatInitials,
  HUE_COUNT,
  showAvatar,
  showAvatars,
} from '../../../../../gateway/web/pages/ui/avatars.ts'
import { projectDirectory } from '../../../../../local/tools/folders.ts'

describe('avatars', () => {
  it('show the initials of the first and the last name', () => {
    for (const [name, initials] of [
      ['Ada Lovelace', 'AL'],
      ['Gabriel José García Márquez', 'GM'],
      ['Øyvind', 'Ø'],
      ['ada.lovelace@example.com', 'AC'],
      ['𝒜da', '𝒜'],
      ['  ', ''],
    ] as const)
      expect(formatInitials(name), name).to.equal(initials)
  })

  it('keep the colour of a person, and use every colour that the styles define', () => {
    expect(chooseHue({ id: 12, name: 'Ada' })).to.equal(chooseHue({ id: 12, name: 'Ada King' }))
    expect(chooseHue({ name: 'Ada' })).to.equal(chooseHue({ id: null, name: 'Ada' }))
    const styles = readFileSync(join(projectDirectory, 'gateway/web/browser/tokens.css'), 'utf8')
    const defined = [...styles.matchAll(/^\.(hue-\d+) \{/gm)].map(([, name]) => name)
    const used = Array.from({ length: HUE_COUNT }, (_, id) => chooseHue({ id, name: '' }))
    expect(used).to.have.members(defined)
  })

  it('have a name for screen readers only if no name stands beside them', () => {
    const hostile = { id: 1, name: '<b>"Ada"' }
    expect(showAvatar(hostile).text).to.include('aria-hidden="true"').and.not.include('Ada')
    expect(showAvatar(hostile, { isAlone: true }).text).to.include('aria-label="&lt;b&gt;&quot;Ada&quot;"')
  })

  it('show how many more people there are', () => {
    const people = [1, 2, 3].map((id) => ({ id, name: 'Ada' }))
    expect(showAvatars(people, 2).text).to.include('>+1<')
    expect(showAvatars(people, 3).text).not.to.include('+')
  })
})
