#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "stride/character/library.h"
#include "stride/character/mjcf.h"

// The MJCF reader and writer against MuJoCo's own compiler: a model as it is, and the same model
// read and written by stride, must be the same mechanism.
namespace stride {
namespace {

using ModelPtr = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
using DataPtr = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

ModelPtr Load(const std::string& path, const mjVFS* files) {
  char error[1000] = "";
  ModelPtr model(mj_loadXML(path.c_str(), files, error, sizeof error), mj_deleteModel);
  EXPECT_NE(model, nullptr) << error;
  return model;
}

ModelPtr Compile(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
  std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
  ModelPtr model = Load("model.xml", files.get());
  mj_deleteVFS(files.get());
  return model;
}

const char* NameOf(const mjModel* m, mjtObj kind, int id) {
  const char* name = mj_id2name(m, kind, id);
  return name ? name : "";
}

// At key 0 where there is one, with every hinge turning and every slide sliding.
DataPtr Moving(const mjModel* m) {
  DataPtr d(mj_makeData(m), mj_deleteData);
  if (m->nkey > 0) mj_resetDataKeyframe(m, d.get(), 0);
  for (int j = 0; j < m->njnt; ++j) {
    const bool one_axis = m->jnt_type[j] == mjJNT_HINGE || m->jnt_type[j] == mjJNT_SLIDE;
    if (one_axis) d->qvel[m->jnt_dofadr[j]] = std::sin(1.0 + j);
  }
  mj_forward(m, d.get());
  return d;
}

double BlockNorm(const mjtNum* v, int first, int count) { return mju_norm(v + first, count); }

// The frames of free and ball joints may be turned against each other, so what is compared does not
// depend on them.
// `same_order`: of the geoms. A body without joints may stand after one with joints in the file,
// and its geoms are then counted with those of the body it becomes part of.
void ExpectSameMechanism(const mjModel* a, const mjModel* b, double tolerance,
                         bool same_order = true) {
  ASSERT_EQ(a->nq, b->nq);
  ASSERT_EQ(a->nv, b->nv);
  ASSERT_EQ(a->njnt, b->njnt);
  const DataPtr da = Moving(a), db = Moving(b);
  for (int i = 1; i < b->nbody; ++i) {
    const int k = mj_name2id(a, mjOBJ_BODY, NameOf(b, mjOBJ_BODY, i));
    ASSERT_GT(k, 0) << NameOf(b, mjOBJ_BODY, i);
    EXPECT_NEAR(a->body_subtreemass[k], b->body_subtreemass[i], 1e-10);
    for (int x = 0; x < 3; ++x) {
      EXPECT_NEAR(da->subtree_com[3 * k + x], db->subtree_com[3 * i + x], 1e-10);
    }
  }
  const int nv = a->nv;
  std::vector<double> ma(nv * nv), mb(nv * nv);
  mj_fullM(a, ma.data(), da->qM);
  mj_fullM(b, mb.data(), db->qM);
  EXPECT_NEAR(mju_norm(ma.data(), nv * nv) / mju_norm(mb.data(), nv * nv), 1, tolerance);
  for (int j = 0; j < a->njnt; ++j) {
    EXPECT_EQ(a->jnt_type[j], b->jnt_type[j]);
    EXPECT_EQ(a->jnt_limited[j], b->jnt_limited[j]);
    const int first = a->jnt_dofadr[j];
    const int count = (j + 1 < a->njnt ? a->jnt_dofadr[j + 1] : nv) - first;
    double trace_a = 0, trace_b = 0;
    for (int i = first; i < first + count; ++i) {
      trace_a += ma[i * nv + i];
      trace_b += mb[i * nv + i];
    }
    EXPECT_NEAR(trace_a, trace_b, tolerance * trace_a) << "joint " << j;
    EXPECT_NEAR(BlockNorm(da->qfrc_bias, first, count), BlockNorm(db->qfrc_bias, first, count),
                100 * tolerance)
        << "joint " << j;
    EXPECT_NEAR(BlockNorm(da->qfrc_passive, first, count),
                BlockNorm(db->qfrc_passive, first, count), 1e-8)
        << "joint " << j;
  }
  ASSERT_EQ(a->ngeom, b->ngeom);
  if (!same_order) return;
  for (int g = 0; g < a->ngeom; ++g) {
    for (int x = 0; x < 3; ++x)
      EXPECT_NEAR(da->geom_xpos[3 * g + x], db->geom_xpos[3 * g + x], 1e-9);
    if (a->geom_type[g] != mjGEOM_BOX) continue;
    for (int x = 0; x < 9; ++x)
      EXPECT_NEAR(da->geom_xmat[9 * g + x], db->geom_xmat[9 * g + x], 1e-9);
    for (int x = 0; x < 3; ++x)
      EXPECT_NEAR(a->geom_size[3 * g + x], b->geom_size[3 * g + x], 1e-12);
  }
}

TEST(MjcfAgainstMujoco, Humanoid) {
  const std::string path = "/usr/share/mujoco/model/humanoid/humanoid.xml";
  const ModelPtr theirs = Load(path, nullptr);
  const MjcfFile file = ReadMjcf(path);
  const ModelPtr ours = Compile(WriteMjcf(file.character));
  ASSERT_TRUE(theirs && ours);
  // Compared in the zero pose: the rest pose stands on the floor, MuJoCo's file hangs above it.
  ours->nkey = 0;
  ExpectSameMechanism(theirs.get(), ours.get(), 1e-9);
  // Joints in the same order; the writer names a joint after the body it moves.
  for (int j = 0; j < theirs->njnt; ++j) {
    const std::string their_name = NameOf(theirs.get(), mjOBJ_JOINT, j);
    const std::string our_name = NameOf(ours.get(), mjOBJ_JOINT, j);
    const std::string body = NameOf(theirs.get(), mjOBJ_BODY, theirs->jnt_bodyid[j]);
    EXPECT_TRUE(our_name == body || our_name == body + "/" + their_name) << our_name;
  }
  EXPECT_NEAR(theirs->body_subtreemass[0], TotalMass(file.character), 1e-10);
}

TEST(MjcfAgainstMujoco, HumanoidAmongAHundredObjects) {
  const std::string path = "/usr/share/mujoco/model/humanoid100/humanoid100.xml";
  const ModelPtr theirs = Load(path, nullptr);
  ASSERT_TRUE(theirs);
  const Character character = ReadMjcf(path).character;
  EXPECT_EQ(LayoutOf(character).nv, theirs->nv - 600);
  for (const Body& body : character.bodies) {
    if (body.mass == 0) continue;
    const int k = mj_name2id(theirs.get(), mjOBJ_BODY, body.name.c_str());
    double mass = 0;  // its own and that of the children without joints
    for (int i = k; i < theirs->nbody; ++i) {
      if (i == k || (theirs->body_parentid[i] == k && theirs->body_jntnum[i] == 0)) {
        mass += theirs->body_mass[i];
      }
    }
    EXPECT_NEAR(body.mass, mass, 1e-10) << body.name;
  }
}

// Every way to say something, all at once.
constexpr const char* kEverything = R"(<mujoco model="everything">
  <compiler angle="degree" eulerseq="zYx" settotalmass="31"/>
  <default>
    <geom density="700" size="0.05 0.06 0.07"/>
    <joint damping="0.5" armature="0.02"/>
    <default class="stiff"><joint stiffness="8" springref="20"/><geom type="box"/>
      <default class="stiffer"><joint stiffness="30"/></default>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="root" pos="0.3 -0.2 1.4" euler="30 -40 70">
      <freejoint/>
      <geom type="capsule" fromto="0 0 0 0.1 0.2 0.3"/>
      <geom type="ellipsoid" pos="0.1 0 0" xyaxes="1 2 0 0 1 1"/>
      <body name="fixed" pos="0.1 0.2 0.3" axisangle="1 1 0 50">
        <geom type="cylinder" quat="0.5 -0.1 0.7 0.2" size="0.06 0.2"/>
        <body name="ball" pos="0 0 -0.4" quat="0.9 0.1 0.3 -0.2" childclass="stiff">
          <joint type="ball" pos="0.01 0.02 0.03" stiffness="0" limited="true" range="0 80"/>
          <geom fromto="0 0 0 0.1 0.15 -0.3" size="0.03"/>
          <geom type="sphere" size="0.04" pos="0 0 -0.1" mass="2.5"/>
          <body name="chain" pos="0.1 0.1 -0.3" zaxis="1 -1 2">
            <joint name="a" axis="1 1 0" pos="0 0 0.02" range="-50 60"/>
            <joint name="b" axis="0 1 1" ref="15" class="stiffer" limited="false"/>
            <joint name="c" axis="1 0 -1" pos="0.03 0 0"/>
            <geom size="0.05 0.02 0.1" euler="10 20 30"/>
            <body name="heavy" pos="0 0 -0.2" zaxis="0 0 -1">
              <joint axis="0 1 0.1"/>
              <inertial pos="0.01 0.02 0" mass="3" fullinertia="0.02 0.03 0.04 0.002 -0.003 0.004"/>
              <geom type="ellipsoid" fromto="0 0 0 0.2 0.1 0" size="0.02"/>
            </body>
          </body>
        </body>
      </body>
      <body name="other" pos="0 0.2 0">
        <joint axis="0 0 1"/>
        <inertial pos="0 0 0.1" mass="1.5" diaginertia="0.01 0.02 0.015" euler="20 10 5"/>
      </body>
    </body>
  </worldbody>
  <keyframe>
    <key name="stand" qpos="1 2 3 0.3 -0.4 0.5 0.6  0.8 0.1 -0.3 0.2  0.4 -0.3 0.2  0.9  -0.6"/>
  </keyframe>
</mujoco>)";

TEST(MjcfAgainstMujoco, EveryWayToSaySomething) {
  // MuJoCo 2.2.2 wants to be told what later versions and stride do: a range is a limit.
  std::string xml = kEverything;
  xml.replace(xml.find("angle="), 0, "autolimits=\"true\" ");
  const ModelPtr theirs = Compile(xml);
  const Character character = ParseMjcf(xml, "everything.xml", "").character;
  const ModelPtr ours = Compile(WriteMjcf(character));
  ASSERT_TRUE(theirs && ours);
  // MuJoCo finds the principal axes of a full inertia to about 1e-7 only.
  ExpectSameMechanism(theirs.get(), ours.get(), 1e-6);
}

// The planar bodies that every user of MuJoCo knows, slides inside a tree, an ant.
TEST(MjcfAgainstMujoco, BodiesOfOthers) {
  for (const char* name :
       {"half_cheetah", "planar_hopper", "planar_walker", "swimmer", "slides", "ant"}) {
    SCOPED_TRACE(name);
    const std::string path = std::string(STRIDE_TEST_CHARACTERS "/") + name + ".xml";
    const ModelPtr theirs = Load(path, nullptr);
    const Character character = ReadMjcf(path).character;
    const ModelPtr ours = Compile(WriteMjcf(character));
    ASSERT_TRUE(theirs && ours);
    ours->nkey = 0;
    theirs->opt.density = theirs->opt.viscosity = 0;  // the swimmer's fluid belongs to the world
    ExpectSameMechanism(theirs.get(), ours.get(), 1e-9, name != std::string("ant"));
    EXPECT_FALSE(character.contact_points.empty());
  }
}

TEST(UrdfAgainstMujoco, AWholeRobot) {
  const std::string path = STRIDE_TEST_CHARACTERS "/walker.urdf";
  std::ifstream file(path);
  std::string xml((std::istreambuf_iterator<char>(file)), {});
  // MuJoCo reads URDF too, but not meshes that are not there.
  const std::size_t visual = xml.find("<visual>"), end = xml.find("</visual>");
  ASSERT_NE(visual, std::string::npos);
  xml.erase(visual, end + 9 - visual);
  const ModelPtr theirs = Compile(xml);
  const MjcfFile read = ReadMjcf(path);
  const ModelPtr ours = Compile(WriteMjcf(read.character));
  ASSERT_TRUE(theirs && ours);
  ours->nkey = 0;
  ASSERT_EQ(theirs->nv, ours->nv);
  const DataPtr a = Moving(theirs.get()), b = Moving(ours.get());
  const int nv = theirs->nv;
  std::vector<double> ma(nv * nv), mb(nv * nv);
  mj_fullM(theirs.get(), ma.data(), a->qM);
  mj_fullM(ours.get(), mb.data(), b->qM);
  // MuJoCo finds the principal axes of a full inertia to about 1e-7 only.
  for (int k = 0; k < nv * nv; ++k) EXPECT_NEAR(ma[k], mb[k], 1e-6) << k;
  for (int k = 0; k < nv; ++k) {
    EXPECT_NEAR(a->qfrc_bias[k], b->qfrc_bias[k], 1e-5) << k;
    EXPECT_NEAR(a->qfrc_passive[k], b->qfrc_passive[k], 1e-9) << k;
  }
  for (int j = 1; j < theirs->njnt; ++j) {
    EXPECT_EQ(theirs->jnt_limited[j], ours->jnt_limited[j]) << j;
    if (!theirs->jnt_limited[j]) continue;
    EXPECT_NEAR(theirs->jnt_range[2 * j], ours->jnt_range[2 * j], 1e-12) << j;
    EXPECT_NEAR(theirs->jnt_range[2 * j + 1], ours->jnt_range[2 * j + 1], 1e-12) << j;
  }
}

TEST(MjcfAgainstMujoco, BuiltInCharactersCompile) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    const Character character = LoadCharacter(info.name);
    const ModelPtr model = Compile(WriteMjcf(character));
    ASSERT_TRUE(model) << info.name;
    const Layout layout = LayoutOf(character);
    EXPECT_EQ(model->nq, layout.nq) << info.name;
    EXPECT_EQ(model->nv, layout.nv) << info.name;
    EXPECT_NEAR(model->body_subtreemass[0], TotalMass(character), 1e-9) << info.name;
    for (int i = 0; i < layout.nq; ++i) {
      EXPECT_NEAR(model->key_qpos[i], character.rest_q[i], 1e-12) << info.name;
    }
  }
}

}  // namespace
}  // namespace stride
