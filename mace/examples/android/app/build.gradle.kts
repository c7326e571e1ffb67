// The example app: the AAR, the converted models and the images of a clone of MACE.
// SPDX-License-Identifier: Apache-2.0
import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
  id("com.android.application")
  id("org.jetbrains.kotlin.android")
}

val mace = rootDir.resolve("../../..")

android {
  namespace = "org.mace.example"
  compileSdk = 35
  defaultConfig {
    applicationId = "org.mace.example"
    minSdk = 21
    targetSdk = 35
    versionCode = 1
    versionName = "1.0"
  }
  compileOptions {
    sourceCompatibility = JavaVersion.VERSION_1_8
    targetCompatibility = JavaVersion.VERSION_1_8
  }
  // R8 shrinks it by the rules of the AAR; the app has none of its own.
  buildTypes["release"].isMinifyEnabled = true
  sourceSets["main"].kotlin.srcDir("src/main/kotlin")
  sourceSets["main"].assets.srcDirs(
      mace.resolve("build/example/model"), mace.resolve("build/verses/model"),
      mace.resolve("models/digits/images"))
  // Files that are stored as they are can be mapped.
  androidResources { noCompress += listOf("pb", "data") }
}

kotlin { compilerOptions { jvmTarget = JvmTarget.JVM_1_8 } }

dependencies { implementation(fileTree(mace.resolve("build/java")) { include("*.aar") }) }
