// Locations: what the API says of them.
import * as yup from 'yup'
import { idAnswer, textAnswer } from './answers.ts'

export const locationSchema = yup
  .object({ id: idAnswer(), name: textAnswer(), code: textAnswer() })
  .meta({ component: 'Location' })
