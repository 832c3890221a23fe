// The features that need no process and no disk: all of the extension in a browser.
import type { FeatureContext } from './featureContext';
import { activateEvidence, type EvidenceApi } from './evidence/activateEvidence';
import { activateEditorTools } from './features/editorTools';
import { activateExplainRule } from './features/explainRule';
import { activateFixAll } from './features/fixAll';
import { activateIncludeFolder } from './features/includeFolder';
import { activateOnScreen } from './features/onScreen';
import { activateRestartServer } from './features/restartServer';
import { activateSettingsWrong } from './features/settingsWrong';
import { activateShowChanged } from './features/showChanged';
import { activateShowModel } from './features/showModel';
import { activateStatus } from './features/status';
import { activateTypedDirectives } from './features/typedDirectives';
import { activateWalkthrough } from './features/walkthrough';
import { activateProfile, type ProfileApi } from './profile/activateProfile';

const features: readonly ((context: FeatureContext) => void)[] = [
  activateStatus,
  activateRestartServer,
  activateExplainRule,
  activateShowModel,
  activateFixAll,
  activateIncludeFolder,
  activateWalkthrough,
  activateTypedDirectives,
  activateOnScreen,
  activateShowChanged,
  activateSettingsWrong,
];

/** To be called before the server starts. */
export function activateEverywhere(context: FeatureContext): {
  readonly profile: ProfileApi;
  readonly evidence: EvidenceApi;
} {
  for (const activateFeature of features) activateFeature(context);
  const profile = activateProfile(context);
  activateEditorTools(context, profile);
  return { profile, evidence: activateEvidence(context, profile) };
}
