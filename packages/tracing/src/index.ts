export { type Attributes, type Kind, type Recorder, record, span, untraced } from './span.ts'
